//! What an agent asks the person during a login: to open a page, or to fill in a form.

use serde_json::Map;
use tokio::sync::mpsc;
use url::Url;

use super::LoginOptions;
use super::form::fill_in;
use crate::acp::Client;
use crate::environment::environment;
use crate::model::{Elicitation, Failure, Reply};
use crate::rpc::IncomingRequest;
use crate::ui::{LiveText, Ui};
use crate::untrusted::clean;
use crate::untrusted::{Clean, Untrusted};

/// Waits for `login` and answers what the agent asks meanwhile; what is open when the login
/// ends is cancelled. Also returns whether the person said no to the last question.
pub async fn answer_until<T>(
    login: impl Future<Output = T>,
    client: &Client,
    mut questions: mpsc::Receiver<IncomingRequest>,
    options: &LoginOptions,
    live: &LiveText,
    ui: &Ui,
) -> (T, bool) {
    let mut declined = false;
    tokio::pin!(login);
    let done = loop {
        let question = tokio::select! {
            done = &mut login => break done,
            Some(question) = questions.recv() => question,
        };
        let asked = match client.read_question(&question) {
            Ok(asked) => asked,
            Err(refusal) => {
                ui.note(&clean!(
                    "{} asked something that was refused: {}",
                    client.agent(),
                    refusal.message
                ));
                client.refuse_question(&question, &refusal);
                continue;
            }
        };
        tokio::select! {
            done = &mut login => {
                ui.leave_prompt();
                client.answer_question(&question, Reply::Cancel);
                break done;
            }
            // A failure is an interruption, which the login sees by itself.
            reply = ask_person(client.agent(), &asked, options, ui) => {
                let reply = reply.unwrap_or(Reply::Cancel);
                declined = !matches!(reply, Reply::Accept(_));
                if let (Elicitation::Page { url, .. }, false) = (&asked, declined) {
                    live.pass_on(url.as_str());
                }
                client.answer_question(&question, reply);
            }
        }
    };
    client.release_questions();
    while let Ok(question) = questions.try_recv() {
        client.answer_question(&question, Reply::Cancel);
    }
    (done, declined)
}

async fn ask_person(
    agent: &str,
    asked: &Elicitation,
    options: &LoginOptions,
    ui: &Ui,
) -> Result<Reply, Failure> {
    match asked {
        Elicitation::Page { message, url } => open_page(agent, message, url, options, ui).await,
        Elicitation::Form { message, .. } if !ui.facts.can_prompt() => {
            ui.note(&clean!(
                "{agent} asks to fill in a form, which needs a terminal: {}",
                message.line()
            ));
            Ok(Reply::Cancel)
        }
        Elicitation::Form { message, fields } => fill_in(agent, message, fields, ui).await,
    }
}

async fn open_page(
    agent: &str,
    message: &Untrusted,
    url: &Url,
    options: &LoginOptions,
    ui: &Ui,
) -> Result<Reply, Failure> {
    ui.note(&clean!("{agent} asks you to open a page: {}", message.line()));
    ui.verbatim(&Clean::lines(url.as_str()));
    ui.note(&host(url));
    let over_ssh =
        ["SSH_CONNECTION", "SSH_TTY"].iter().any(|name| environment().get(name).is_some());
    let only_print = options.no_browser || over_ssh;
    let question = Clean::from(if only_print {
        "Go on? Open the page yourself, in a browser of your choice"
    } else {
        "Open it in your browser?"
    });
    let agreed = options.yes
        || match ui.confirm(agent, &question, true).await? {
            Some(agreed) => agreed,
            None => return Ok(Reply::Cancel),
        };
    if !agreed {
        return Ok(Reply::Decline);
    }
    if !only_print {
        let address = url.to_string();
        let opened = tokio::task::spawn_blocking(move || webbrowser::open(&address)).await;
        if !matches!(opened, Ok(Ok(()))) {
            ui.note(&Clean::from("no browser could be opened; open the page yourself"));
        }
    }
    Ok(Reply::Accept(Map::new()))
}

/// Which host a page is on, and what could be taken for another one.
fn host(url: &Url) -> Clean {
    let host = url.host_str().unwrap_or_default();
    let unicode = idna::domain_to_unicode(host).0;
    let user =
        if url.username().is_empty() { "" } else { "; what is before the @ is not the host" };
    if unicode == host {
        clean!("on the host {host}{user}")
    } else {
        clean!("on the host {host}, which is written {unicode} and not in plain letters{user}")
    }
}
