//! The ways to sign in that an agent offers.

use serde_json::Value;
use url::Url;

use crate::untrusted::Untrusted;

/// How a sign-in method is carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MethodFlow {
    /// The agent does it when it is asked to.
    Agent,
    /// The agent's program is run once more on the person's terminal, with these additions.
    Terminal { args: Vec<Untrusted>, env: Variables },
    /// A program that the agent names is run on the person's terminal, once they have agreed.
    Recipe(Recipe),
    /// The person, the environment or a script provides values.
    Values { wanted: Vec<WantedValue>, delivery: Delivery },
    /// Not driven by acp-auth; the text says why.
    Unsupported(&'static str),
}

/// Environment variables, their names and values as they came.
pub type Variables = Vec<(Untrusted, Untrusted)>;

/// A command that an agent proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    pub program: Untrusted,
    pub args: Vec<Untrusted>,
    pub env: Variables,
}

/// A value that a method needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedValue {
    /// The environment variables it may be in already, the first being its name.
    pub variables: Vec<String>,
    pub label: Option<Untrusted>,
    pub secret: bool,
    pub optional: bool,
}

/// How values reach the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// As environment variables of a new process, which is then asked to sign in.
    Environment,
    /// As a start argument of a new process.
    Argument { name: Untrusted },
    /// With the request to sign in.
    Request(KeyForm),
}

/// The forms in which agents take a key with the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyForm {
    /// As the first proposal has it.
    FirstProposal,
    /// As gemini-cli takes it.
    Gemini,
    /// As codex-acp takes it.
    Codex,
}

/// A way to sign in that an agent offers.
#[derive(Debug, Clone, PartialEq)]
pub struct AuthMethod {
    pub id: Untrusted,
    pub name: Untrusted,
    pub description: Option<Untrusted>,
    /// The `type` on the wire; `agent` where v1 leaves it out.
    pub type_name: Untrusted,
    pub flow: MethodFlow,
    /// The method as it came in the answer to `initialize`.
    pub raw: Value,
}

impl AuthMethod {
    /// Why the method cannot be used here and now, if it cannot.
    #[must_use]
    pub fn obstacle(&self, has_terminal: bool) -> Option<&'static str> {
        match &self.flow {
            MethodFlow::Agent | MethodFlow::Values { .. } => None,
            MethodFlow::Terminal { .. } | MethodFlow::Recipe(_) if has_terminal => None,
            MethodFlow::Terminal { .. } | MethodFlow::Recipe(_) => Some("needs a terminal"),
            MethodFlow::Unsupported(reason) => Some(reason),
        }
    }

    /// The page where a credential can be had: `link` of the former type `env_var`, as zed's
    /// codex-acp 0.16 has it.
    #[must_use]
    pub fn link(&self) -> Option<Url> {
        let link = Url::parse(self.raw["link"].as_str()?).ok()?;
        (matches!(link.scheme(), "http" | "https") && link.host().is_some()).then_some(link)
    }

    /// The environment variables that the method takes credentials from, or names in its
    /// description as droid 0.215 and gptme 0.35 do.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let wanted = match &self.flow {
            MethodFlow::Values { wanted, .. } => wanted.as_slice(),
            _ => &[],
        };
        let description = self.description.as_ref().map_or("", Untrusted::raw);
        let words = description.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let is_variable = |word: &&str| {
            (word.ends_with("_KEY") || word.ends_with("_TOKEN"))
                && !word.contains(|c: char| c.is_ascii_lowercase())
        };
        let listed = wanted.iter().flat_map(|value| &value.variables).map(String::as_str);
        listed.chain(words.filter(is_variable))
    }
}
