//! `config.toml`: read with positions, so that an error can say file, line and column.

use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::expand::{Lookup, expand, expand_home};
use super::{AgentDefinition, AgentKind, Origin, Target};
use crate::auth::Probe;
use crate::connection::Launch;
use crate::error::Failure;
use crate::protocol::ProtocolChoice;
use crate::untrusted::is_unseen;

/// The longest file that is read, in bytes.
const LONGEST: u64 = 1 << 20;

const TOP_KEYS: &[&str] = &["default", "agents", "registry"];
const AGENT_KEYS: &[&str] =
    &["command", "args", "env", "cwd", "timeout", "protocol", "kind", "probe"];

/// A text with its place in the file.
type Located = Spanned<String>;

/// A configuration file whose keys and types are right; variables are put in agent by agent, so
/// that one that is unset fails only who asks for it.
#[derive(Debug)]
pub struct ConfigFile {
    pub path: PathBuf,
    text: String,
    default: Option<Located>,
    registry: Option<Located>,
    agents: Vec<RawAgent>,
}

#[derive(Debug)]
struct RawAgent {
    name: Spanned<String>,
    /// The program, and its arguments where they were given as one list.
    command: Vec<Located>,
    args: Option<Vec<Located>>,
    env: Vec<(String, Located)>,
    cwd: Option<Located>,
    timeout: Option<Located>,
    protocol: Option<ProtocolChoice>,
    probe: Option<Probe>,
    kind: AgentKind,
}

impl ConfigFile {
    /// Reads the file.
    ///
    /// # Errors
    /// A configuration failure with file, line and column.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let mut bytes = Vec::new();
        let unreadable = |error: std::io::Error| {
            Failure::config(format!("the configuration {} cannot be read: {error}", path.display()))
        };
        let file = std::fs::File::open(path).map_err(unreadable)?;
        file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > LONGEST {
            let text = format!("the configuration {} has more than 1 MiB", path.display());
            return Err(Failure::config(text));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            Self::unread(path, text).failure(&(valid..valid), "this is no UTF-8 text")
        })?;
        // Editors on Windows write a byte order mark; its three bytes are no column.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
        Self::parse(path, text)
    }

    fn unread(path: &Path, text: String) -> Self {
        Self { path: path.to_owned(), text, default: None, registry: None, agents: Vec::new() }
    }

    fn parse(path: &Path, text: String) -> Result<Self, Failure> {
        let mut file = Self::unread(path, text);
        let table = DeTable::parse(&file.text)
            .map_err(|error| file.failure(&error.span().unwrap_or(0..0), error.message()))?;
        let mut default = None;
        let mut registry = None;
        let mut agents = Vec::new();
        for (key, value) in table.get_ref() {
            match key.get_ref().as_ref() {
                "default" => default = Some(file.string("default", value)?),
                "registry" => registry = Some(file.string("registry", value)?),
                "agents" => {
                    let table = file.table("agents", value)?;
                    for (name, agent) in table {
                        agents.push(file.agent(name, agent)?);
                    }
                }
                _ => return Err(file.unknown_key(key, TOP_KEYS)),
            }
        }
        agents.sort_by_key(|agent| agent.name.span().start);
        drop(table);
        file.default = default;
        file.registry = registry;
        file.agents = agents;
        Ok(file)
    }

    /// The agent of the key `default`.
    pub fn default_agent(&self) -> Option<&str> {
        self.default.as_ref().map(|name| name.get_ref().as_str())
    }

    /// The registry's file of the key `registry`, variables and `~` put in.
    ///
    /// # Errors
    /// A configuration failure with file, line and column.
    pub fn registry(&self, lookup: Lookup<'_>) -> Result<Option<PathBuf>, Failure> {
        let Some(text) = &self.registry else { return Ok(None) };
        expand(text.get_ref(), lookup)
            .map(|path| Some(expand_home(&path)))
            .map_err(|reason| self.failure(&text.span(), &reason))
    }

    /// The agents' names, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.agents.iter().map(|agent| agent.name.get_ref().as_str())
    }

    /// As [`ConfigFile::definition`], for a run over all agents: one that cannot be used is told of
    /// in its place and keeps nobody from being asked.
    pub fn definition_or_failure(&self, name: &str, lookup: Lookup<'_>) -> Option<AgentDefinition> {
        let failure = match self.definition(name, lookup) {
            Ok(found) => return found,
            Err(failure) => failure,
        };
        let agent = self.find(name)?;
        let raw =
            |texts: &[Located]| texts.iter().map(|text| text.get_ref().clone()).collect::<Vec<_>>();
        Some(AgentDefinition {
            name: name.to_owned(),
            kind: agent.kind,
            origin: Origin::in_config(&self.path, name),
            launch: Launch {
                program: raw(&agent.command).remove(0),
                args: raw(agent.args.as_deref().unwrap_or_default()),
                env: Vec::new(),
                cwd: None,
            },
            timeout: None,
            protocol: None,
            probe: None,
            failure: Some(failure),
            target: Target { name: Some(name.to_owned()), ..Target::default() },
        })
    }

    fn find(&self, name: &str) -> Option<&RawAgent> {
        self.agents.iter().find(|agent| agent.name.get_ref() == name)
    }

    /// The definition of that name with its variables put in; `None` when there is none.
    ///
    /// # Errors
    /// A configuration failure with file, line and column.
    pub fn definition(
        &self,
        name: &str,
        lookup: Lookup<'_>,
    ) -> Result<Option<AgentDefinition>, Failure> {
        let Some(agent) = self.find(name) else {
            return Ok(None);
        };
        let put_in = |text: &Located| {
            expand(text.get_ref(), lookup).map_err(|reason| self.failure(&text.span(), &reason))
        };
        let all = |texts: &[Located]| texts.iter().map(put_in).collect::<Result<Vec<_>, _>>();
        let mut command = all(&agent.command)?;
        if let [line] = command.as_slice()
            && agent.args.is_none()
        {
            command = split_command(line)
                .map_err(|reason| self.failure(&agent.command[0].span(), &reason))?;
        }
        let program = command.split_first().filter(|(program, _)| !program.trim().is_empty());
        let Some((program, first_args)) = program else {
            return Err(
                self.failure(&agent.name.span(), &format!("the agent {name} has an empty command"))
            );
        };
        let mut args = first_args.to_vec();
        args.extend(all(agent.args.as_deref().unwrap_or_default())?);
        let mut env = Vec::new();
        for (variable, value) in &agent.env {
            env.push((variable.clone(), put_in(value)?));
        }
        let timeout = match &agent.timeout {
            Some(text) => Some(
                crate::settings::parse_duration(&put_in(text)?)
                    .map_err(|reason| self.failure(&text.span(), &reason))?,
            ),
            None => None,
        };
        Ok(Some(AgentDefinition {
            name: name.to_owned(),
            kind: agent.kind,
            origin: Origin::in_config(&self.path, name),
            launch: Launch {
                program: expand_home(program).to_string_lossy().into_owned(),
                args,
                env,
                cwd: agent.cwd.as_ref().map(put_in).transpose()?.map(|cwd| expand_home(&cwd)),
            },
            timeout,
            protocol: agent.protocol,
            probe: agent.probe,
            failure: None,
            target: Target { name: Some(name.to_owned()), ..Target::default() },
        }))
    }

    fn agent(
        &self,
        name: &Spanned<Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<RawAgent, Failure> {
        let mut agent = RawAgent {
            name: Spanned::new(name.span(), name.get_ref().to_string()),
            command: Vec::new(),
            args: None,
            env: Vec::new(),
            cwd: None,
            timeout: None,
            protocol: None,
            probe: None,
            kind: AgentKind::Acp,
        };
        let is_typable = |name: &str| {
            !name.trim().is_empty() && !name.starts_with('-') && !name.chars().any(is_unseen)
        };
        if !is_typable(name.get_ref()) {
            let message =
                "an agent's name has letters that can be seen and does not begin with `-`";
            return Err(self.failure(&name.span(), message));
        }
        for (key, value) in self.table(name.get_ref(), value)? {
            match key.get_ref().as_ref() {
                "command" if value.get_ref().is_array() => {
                    agent.command = self.strings("command", value)?;
                }
                "command" => agent.command = vec![self.string("command", value)?],
                "args" => agent.args = Some(self.strings("args", value)?),
                "env" => {
                    for (variable, value) in self.table("env", value)? {
                        if variable.get_ref().is_empty() || variable.get_ref().contains(['=', '\0'])
                        {
                            return Err(
                                self.failure(&variable.span(), "this is no name of a variable")
                            );
                        }
                        agent.env.push((
                            variable.get_ref().to_string(),
                            self.string(variable.get_ref(), value)?,
                        ));
                    }
                }
                "cwd" => agent.cwd = Some(self.string("cwd", value)?),
                "timeout" => agent.timeout = Some(self.string("timeout", value)?),
                "protocol" => agent.protocol = Some(self.protocol(value)?),
                "kind" => agent.kind = self.kind(value)?,
                "probe" => agent.probe = Some(self.probe(value)?),
                _ => return Err(self.unknown_key(key, AGENT_KEYS)),
            }
        }
        if agent.command.is_empty() {
            return Err(
                self.failure(&name.span(), &format!("the agent {} has no command", name.get_ref()))
            );
        }
        Ok(agent)
    }

    fn protocol(&self, value: &Spanned<DeValue<'_>>) -> Result<ProtocolChoice, Failure> {
        let text = match value.get_ref() {
            DeValue::Integer(number) => number.as_str(),
            DeValue::String(text) => text,
            _ => "",
        };
        match text {
            "1" => Ok(ProtocolChoice::V1),
            "2" => Ok(ProtocolChoice::V2),
            "auto" => Ok(ProtocolChoice::Auto),
            _ => Err(self.failure(&value.span(), "`protocol` is 1, 2 or \"auto\"")),
        }
    }

    fn kind(&self, value: &Spanned<DeValue<'_>>) -> Result<AgentKind, Failure> {
        match value.get_ref().as_str() {
            Some("acp") => Ok(AgentKind::Acp),
            Some("mcp") => Ok(AgentKind::Mcp),
            _ => Err(self.failure(&value.span(), "`kind` is \"acp\" or \"mcp\"")),
        }
    }

    /// A prompt costs money, so that it is asked for each time.
    fn probe(&self, value: &Spanned<DeValue<'_>>) -> Result<Probe, Failure> {
        match value.get_ref().as_str() {
            Some("session") => Ok(Probe::Session),
            _ => Err(self.failure(&value.span(), "`probe` is \"session\"")),
        }
    }

    fn string(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Located, Failure> {
        match value.get_ref().as_str() {
            Some(text) if text.contains('\0') => {
                Err(self.failure(&value.span(), &format!("`{key}` contains a null character")))
            }
            Some(text) => Ok(Spanned::new(value.span(), text.to_owned())),
            None => Err(self.wrong_type(key, "a string", value)),
        }
    }

    fn strings(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Vec<Located>, Failure> {
        let Some(items) = value.get_ref().as_array() else {
            return Err(self.wrong_type(key, "a list of strings", value));
        };
        items.iter().map(|item| self.string(key, item)).collect()
    }

    fn table<'v, 'i>(
        &self,
        key: &str,
        value: &'v Spanned<DeValue<'i>>,
    ) -> Result<&'v DeTable<'i>, Failure> {
        value.get_ref().as_table().ok_or_else(|| self.wrong_type(key, "a table", value))
    }

    fn wrong_type(&self, key: &str, wanted: &str, value: &Spanned<DeValue<'_>>) -> Failure {
        let found = value.get_ref().type_str();
        self.failure(
            &value.span(),
            &format!("`{key}` must be {wanted}, and this is of type {found}"),
        )
    }

    fn unknown_key(&self, key: &Spanned<Cow<'_, str>>, known: &[&str]) -> Failure {
        let failure = self.failure(&key.span(), &format!("unknown key `{}`", key.get_ref()));
        match nearest(key.get_ref(), known.iter().copied()) {
            Some(nearest) => failure.hint(format!("did you mean `{nearest}`?")),
            None => failure.hint(format!("known keys: {}", known.join(", "))),
        }
    }

    fn failure(&self, span: &Range<usize>, message: &str) -> Failure {
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Failure::config(format!("{}:{line}:{column}: {message}", self.path.display()))
    }
}

/// Splits a command given as one string, unless a file of that very name exists.
fn split_command(line: &str) -> Result<Vec<String>, String> {
    if !line.contains([' ', '\t', '\n', '"', '\'']) || expand_home(line).exists() {
        return Ok(vec![line.to_owned()]);
    }
    shell_words::split(line)
        .map_err(|error| format!("the command `{line}` cannot be split: {error}"))
}

/// The word that was probably meant.
pub fn nearest<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    known
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn parse(text: &str) -> Result<ConfigFile, Failure> {
        ConfigFile::parse(Path::new("c.toml"), text.to_owned())
    }

    fn definition(text: &str) -> Result<AgentDefinition, Failure> {
        let lookup = |name: &str| (name == "KEY").then(|| "from-env".to_owned());
        parse(text)?.definition("a", &lookup).map(|found| found.expect("the agent a"))
    }

    #[test]
    fn a_whole_agent_is_read() {
        let agent = definition(
            "default = \"a\"\n[agents.a]\ncommand = \"x\"\nargs = [\"${KEY}\"]\nenv = { K = \"${NO:-d}\" }\n\
             cwd = \"/w\"\ntimeout = \"20s\"\nprotocol = 2\nkind = \"acp\"\n",
        )
        .unwrap();
        assert_eq!(agent.launch.args, ["from-env"]);
        assert_eq!(agent.launch.env, [("K".to_owned(), "d".to_owned())]);
        assert_eq!(agent.timeout, Some(Duration::from_secs(20)));
        assert_eq!(agent.protocol, Some(ProtocolChoice::V2));
    }

    #[test]
    fn a_command_is_one_string_a_list_or_a_program_with_arguments() {
        for (text, program, args) in [
            ("command = \"npx -y 'a b'\"", "npx", &["-y", "a b"][..]),
            ("command = [\"my agent\", \"acp\"]", "my agent", &["acp"]),
            ("command = \"my agent\"\nargs = []", "my agent", &[]),
        ] {
            let agent = definition(&format!("[agents.a]\n{text}\n")).unwrap();
            assert_eq!(
                (agent.launch.program.as_str(), agent.launch.args.as_slice()),
                (program, &args.iter().map(ToString::to_string).collect::<Vec<_>>()[..])
            );
        }
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, message) in [
            ("[agents.a]\ncomand = \"x\"", "c.toml:2:1: unknown key `comand`"),
            ("[agents.a]\ncommand = 1", "c.toml:2:11: `command` must be a string"),
            ("defualt = \"a\"", "c.toml:1:1: unknown key `defualt`"),
            ("[agents.a]\nargs = []", "c.toml:1:9: the agent a has no command"),
            (
                "[agents.a]\ncommand = \"${NOPE}\"",
                "c.toml:2:11: the environment variable NOPE is not set",
            ),
            ("[agents.a]\ncommand = \"x\"\ntimeout = \"x\"", "c.toml:3:11: "),
            ("[agents.a]\ncommand = \"x\"\nprotocol = 3", "c.toml:3:12: `protocol` is 1, 2 or"),
            ("[agents.a\n", "c.toml:1:10: "),
        ] {
            let failure = definition(text).unwrap_err();
            assert!(failure.message.raw().starts_with(message), "{}", failure.message.raw());
        }
    }

    #[test]
    fn an_unset_variable_fails_only_its_agent() {
        let file = parse("[agents.b]\ncommand = \"${NOPE}\"\n[agents.a]\ncommand = \"x\"").unwrap();
        assert!(file.definition("a", &|_| None).is_ok());
        assert!(file.definition("b", &|_| None).is_err());
        assert_eq!(file.names().collect::<Vec<_>>(), ["b", "a"]);
    }

    proptest::proptest! {
        #[test]
        fn any_file_is_read_or_refused_with_its_place(
            text: String,
            lines in proptest::collection::vec(
                r#"(default|agents|command|args|env|kind|probe|\[agents\.[a-z]\]) ?=? ?("[^"]{0,6}"|\[|\]|\{|\}|[0-9.]+|\$\{[A-Z]{0,3})?"#,
                0..8,
            ),
        ) {
            for text in [text, lines.join("\n")] {
                match parse(&text) {
                    Ok(file) => {
                        for name in file.names() {
                            // What cannot be put in is an error like any other.
                            let _ = file.definition(name, &|_| None);
                        }
                    }
                    Err(failure) => assert!(failure.message.raw().starts_with("c.toml:")),
                }
            }
        }
    }
}
