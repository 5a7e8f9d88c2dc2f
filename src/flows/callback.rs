//! A login whose page returns to this machine while the browser is on another one: over SSH, in a
//! container, in WSL. The address where the browser ended is pasted, checked, and fetched here.

use std::time::Duration;

use tokio::sync::mpsc;
use url::{Host, Url};

use crate::environment::environment;
use crate::ui::Ui;
use crate::untrusted::{Clean, clean};

/// The longest wait for the agent to take an address, which it does at once.
const HANDING_OVER: Duration = Duration::from_secs(10);

/// Where a page sends the browser in the end: a port of this machine.
#[derive(Debug, PartialEq, Eq)]
struct Return {
    address: Url,
    state: Option<String>,
}

impl Return {
    /// The return of a page that an agent wants to be opened: its `redirect_uri` (RFC 6749, section
    /// 4.1.1), where that is a loopback address (RFC 8252, section 7.3).
    fn of_page(page: &str) -> Option<Self> {
        let page = Url::parse(page).ok()?;
        let parameter = |name: &str| {
            page.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
        };
        let address = Url::parse(&parameter("redirect_uri")?).ok()?;
        let is_loopback = match address.host()? {
            Host::Domain(name) => name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        (is_loopback && address.scheme() == "http")
            .then(|| Self { address, state: parameter("state") })
    }

    /// The address that was pasted, where it is the one of this return: the same host, port and path,
    /// and the same `state`, without which anybody's sign-in could be handed to the agent.
    ///
    /// # Errors
    /// What does not fit.
    fn read(&self, pasted: &str) -> Result<Url, &'static str> {
        let pasted = Url::parse(pasted.trim()).map_err(|_| "that is not an address")?;
        let place = |url: &Url| {
            let host = url.host_str().map(ToOwned::to_owned);
            (url.scheme().to_owned(), host, url.port_or_known_default(), url.path().to_owned())
        };
        if place(&pasted) != place(&self.address) || !pasted.username().is_empty() {
            return Err("that is another address than the page returns to");
        }
        let state = pasted.query_pairs().find(|(key, _)| key == "state");
        if state.map(|(_, value)| value.into_owned()) != self.state {
            return Err("its `state` is not that of this login");
        }
        if pasted.query().is_none() {
            return Err("it carries no answer: copy it whole");
        }
        Ok(pasted)
    }
}

/// Whether a browser that the person uses is probably on another machine.
fn browser_is_elsewhere() -> bool {
    let variables = ["SSH_CONNECTION", "SSH_TTY", "WSL_DISTRO_NAME", "container"];
    let files = ["/.dockerenv", "/run/.containerenv"];
    variables.iter().any(|name| environment().get(name).is_some())
        || files.iter().any(|file| std::path::Path::new(file).exists())
}

/// Listens to what an agent says during a login, and helps where its page returns to this machine or
/// it wants to be typed at. Goes on until it is dropped.
pub async fn help_from_elsewhere(
    agent: &str,
    mut said: mpsc::UnboundedReceiver<String>,
    is_printed: bool,
    ui: &Ui,
) {
    let mut was_told = false;
    while let Some(line) = said.recv().await {
        if !was_told && asks_for_code(&line) {
            was_told = true;
            ui.note(&clean!(
                "{agent} seems to ask for a code on its own input, which carries the protocol: it \
                 cannot be typed here. Sign in with its own program at a terminal, or by a method \
                 that needs no browser",
            ));
        }
        let found = line.split_whitespace().find_map(Return::of_page);
        let Some(found) = found.filter(|_| ui.facts.can_prompt()) else { continue };
        if is_printed || browser_is_elsewhere() {
            take_address(agent, &found, ui).await;
        }
    }
    std::future::pending::<()>().await;
}

/// Has the person paste the address until one fits and the agent has it.
async fn take_address(agent: &str, found: &Return, ui: &Ui) {
    let address = Clean::line(found.address.as_str());
    ui.note(&clean!(
        "the page returns to {address} on this machine; if your browser is on another one, paste the \
         address at which it ended, where it shows nothing",
    ));
    loop {
        // A signal is seen by the login itself.
        let question = clean!("Address (hidden)");
        let Ok(pasted) = ui.ask_secret(agent, &question).await else {
            return std::future::pending().await;
        };
        match found.read(pasted.reveal()) {
            _ if pasted.reveal().trim().is_empty() => {}
            Err(reason) => ui.note(&Clean::from(reason)),
            Ok(address) => match hand_over(address).await {
                Ok(()) => {
                    ui.note(&clean!("{agent} has the address"));
                    return;
                }
                Err(reason) => {
                    ui.note(&clean!("{agent} did not take it: {}", Clean::line(&reason)));
                }
            },
        }
    }
}

/// Fetches the address as the browser would have; redirections are not followed.
async fn hand_over(address: Url) -> Result<(), String> {
    let fetching = tokio::task::spawn_blocking(move || {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(HANDING_OVER))
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .build();
        let answer = ureq::Agent::new_with_config(config).get(address.as_str()).call();
        // The address carries a code, which an error may repeat.
        answer.map(drop).map_err(|error| match error {
            ureq::Error::StatusCode(code) => format!("it answered with the status {code}"),
            ureq::Error::Timeout(_) => "it did not answer".to_owned(),
            _ => "it could not be reached".to_owned(),
        })
    });
    fetching.await.unwrap_or_else(|error| Err(error.to_string()))
}

/// Whether a line asks to type a code, as gemini 0.61 does where it opens no browser.
fn asks_for_code(line: &str) -> bool {
    let line = line.to_lowercase();
    let asks = ["enter the", "enter your", "paste the", "paste your"];
    asks.iter().any(|words| line.contains(words)) && line.contains("code")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_return_of_this_login_is_taken() {
        let page =
            "https://login.example.test/a?redirect_uri=http%3A%2F%2Flocalhost%3A1455%2Fcb&state=s1";
        let found = Return::of_page(page).unwrap();
        for (pasted, fits) in [
            ("http://localhost:1455/cb?code=c&state=s1", true),
            (" http://localhost:1455/cb?code=c&state=s1\n", true),
            ("http://localhost:1455/cb?code=c&state=s2", false),
            ("http://localhost:1455/cb?code=c", false),
            ("http://localhost:1456/cb?code=c&state=s1", false),
            ("http://localhost:1455/other?code=c&state=s1", false),
            ("http://127.0.0.1:1455/cb?code=c&state=s1", false),
            ("http://evil.example.test:1455/cb?code=c&state=s1", false),
            ("http://localhost:1455@evil.example.test/cb?code=c&state=s1", false),
            ("http://user@localhost:1455/cb?code=c&state=s1", false),
            ("https://localhost:1455/cb?code=c&state=s1", false),
            ("code", false),
        ] {
            assert_eq!(found.read(pasted).is_ok(), fits, "{pasted}");
        }
        for other in
            ["http%3A%2F%2Fevil.example.test%2F", "https%3A%2F%2Flocalhost%2F", "app%3A%2F%2Fx"]
        {
            let page = format!("https://login.example.test/?redirect_uri={other}");
            assert_eq!(Return::of_page(&page), None, "{other}");
        }
    }

    #[test]
    fn a_code_that_is_asked_for_is_recognised() {
        assert!(asks_for_code("Enter the authorization code: "));
        assert!(!asks_for_code("Open the page and enter nothing"));
    }
}
