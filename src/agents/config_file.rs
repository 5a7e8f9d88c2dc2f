//! `config.toml`: read with positions, so that an error can say file, line and column.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::config_source::{Located, Source};
use super::files::Named;
use super::placeholders::{Lookup, expand, expand_home};
use super::{AgentDefinition, AgentOptions, Origin};
use crate::environment::is_variable_name;
use crate::model::{AgentKind, Failure, Launch, ProbeLevel, ProtocolChoice, Secret};
use crate::untrusted::is_unseen;

const TOP_KEYS: &[&str] = &["default", "agents", "registry"];
const AGENT_KEYS: &[&str] =
    &["command", "args", "env", "cwd", "timeout", "protocol", "kind", "probe"];

/// A configuration file whose keys and types are right; placeholders are expanded agent by agent, so
/// that one that is unset fails only who asks for it.
#[derive(Debug)]
pub struct ConfigFile {
    source: Source,
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
    probe: Option<ProbeLevel>,
    kind: AgentKind,
}

impl ConfigFile {
    /// Reads the file.
    ///
    /// # Errors
    /// A configuration failure with file, line and column.
    pub fn read(path: &Path, named: Named) -> Result<Self, Failure> {
        Self::parse(Source::read(path, named)?)
    }

    fn parse(source: Source) -> Result<Self, Failure> {
        let table = DeTable::parse(&source.text)
            .map_err(|error| source.failure(&error.span().unwrap_or(0..0), error.message()))?;
        let mut default = None;
        let mut registry = None;
        let mut agents = Vec::new();
        for (key, value) in table.get_ref() {
            match key.get_ref().as_ref() {
                "default" => default = Some(source.string("default", value)?),
                "registry" => registry = Some(source.string("registry", value)?),
                "agents" => {
                    for (name, agent) in source.table("agents", value)? {
                        agents.push(RawAgent::read(&source, name, agent)?);
                    }
                }
                _ => return Err(source.unknown_key(key, TOP_KEYS)),
            }
        }
        agents.sort_by_key(|agent: &RawAgent| agent.name.span().start);
        drop(table);
        Ok(Self { source, default, registry, agents })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.source.path
    }

    /// The agent of the key `default`.
    pub fn default_agent(&self) -> Option<&str> {
        self.default.as_ref().map(|name| name.get_ref().as_str())
    }

    /// The registry's file of the key `registry`, placeholders and `~` expanded.
    ///
    /// # Errors
    /// A configuration failure with file, line and column.
    pub fn registry(&self, lookup: Lookup<'_>) -> Result<Option<PathBuf>, Failure> {
        let Some(text) = &self.registry else { return Ok(None) };
        expand(text.get_ref(), lookup)
            .map(|path| Some(self.beside(&path)))
            .map_err(|reason| self.source.failure(&text.span(), &reason))
    }

    /// A path of the file, which is relative to where the file is.
    fn beside(&self, path: &str) -> PathBuf {
        let directory = self.source.path.parent().unwrap_or(Path::new(""));
        directory.join(expand_home(path))
    }

    /// The agents' names, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.agents.iter().map(|agent| agent.name.get_ref().as_str())
    }

    /// As [`ConfigFile::definition`], for a run over all agents: one that cannot be used is reported
    /// in its place and keeps nobody from being asked.
    pub fn definition_or_failure(&self, name: &str, lookup: Lookup<'_>) -> Option<AgentDefinition> {
        let failure = match self.definition(name, lookup) {
            Ok(found) => return found,
            Err(failure) => failure,
        };
        let agent = self.find(name)?;
        let raw =
            |texts: &[Located]| texts.iter().map(|text| text.get_ref().clone()).collect::<Vec<_>>();
        let program = raw(&agent.command).remove(0);
        let launch = Launch::new(program, raw(agent.args.as_deref().unwrap_or_default()));
        let origin = Origin::in_config(&self.source.path, name);
        Some(AgentDefinition {
            kind: agent.kind,
            failure: Some(failure),
            ..AgentDefinition::new(name, origin, launch)
        })
    }

    fn find(&self, name: &str) -> Option<&RawAgent> {
        self.agents.iter().find(|agent| agent.name.get_ref() == name)
    }

    /// The definition of that name with its placeholders expanded; `None` when there is none.
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
        let expanded = |text: &Located| {
            expand(text.get_ref(), lookup)
                .map_err(|reason| self.source.failure(&text.span(), &reason))
        };
        let all = |texts: &[Located]| texts.iter().map(expanded).collect::<Result<Vec<_>, _>>();
        let command = match agent.command.as_slice() {
            [line] if agent.args.is_none() => self.split(line, &expanded)?,
            words => all(words)?,
        };
        let program = command.split_first().filter(|(program, _)| !program.trim().is_empty());
        let Some((program, first_args)) = program else {
            return Err(self
                .source
                .failure(&agent.name.span(), &format!("the agent {name} has an empty command")));
        };
        let mut args = first_args.to_vec();
        args.extend(all(agent.args.as_deref().unwrap_or_default())?);
        let mut env = Vec::new();
        for (variable, value) in &agent.env {
            env.push((variable.clone(), Secret::from(expanded(value)?)));
        }
        let timeout = match &agent.timeout {
            Some(text) => Some(
                crate::duration::parse_duration(&expanded(text)?)
                    .map_err(|reason| self.source.failure(&text.span(), &reason))?,
            ),
            None => None,
        };
        let launch = Launch {
            program: expand_home(program).to_string_lossy().into_owned(),
            args,
            env,
            key: None,
            unset: Vec::new(),
            cwd: agent.cwd.as_ref().map(expanded).transpose()?.map(|cwd| self.beside(&cwd)),
        };
        let origin = Origin::in_config(&self.source.path, name);
        Ok(Some(AgentDefinition {
            kind: agent.kind,
            options: AgentOptions { timeout, protocol: agent.protocol, probe: agent.probe },
            ..AgentDefinition::new(name, origin, launch)
        }))
    }
}

impl ConfigFile {
    /// The words of a command given as one string; a file of that very name is one word. Words are
    /// split before placeholders are expanded, so that a value with spaces stays one.
    fn split(
        &self,
        line: &Located,
        expanded: &dyn Fn(&Located) -> Result<String, Failure>,
    ) -> Result<Vec<String>, Failure> {
        let whole = line.get_ref();
        if !whole.contains([' ', '\t', '\n', '"', '\'']) || expand_home(whole).exists() {
            return Ok(vec![expanded(line)?]);
        }
        let words = shell_words::split(whole).map_err(|error| {
            let what = format!("the command `{whole}` cannot be split: {error}");
            self.source.failure(&line.span(), &what)
        })?;
        words.into_iter().map(|word| expanded(&Spanned::new(line.span(), word))).collect()
    }
}

impl RawAgent {
    /// Reads the table of one agent.
    fn read(
        source: &Source,
        name: &Spanned<Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Self, Failure> {
        let mut agent = Self {
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
            return Err(source.failure(&name.span(), message));
        }
        for (key, value) in source.table(name.get_ref(), value)? {
            match key.get_ref().as_ref() {
                "command" if value.get_ref().is_array() => {
                    agent.command = source.strings("command", value)?;
                }
                "command" => agent.command = vec![source.string("command", value)?],
                "args" => agent.args = Some(source.strings("args", value)?),
                "env" => {
                    for (variable, value) in source.table("env", value)? {
                        if !is_variable_name(variable.get_ref()) {
                            let message = "this is not a name that a variable can have";
                            return Err(source.failure(&variable.span(), message));
                        }
                        agent.env.push((
                            variable.get_ref().to_string(),
                            source.string(variable.get_ref(), value)?,
                        ));
                    }
                }
                "cwd" => agent.cwd = Some(source.string("cwd", value)?),
                "timeout" => agent.timeout = Some(source.string("timeout", value)?),
                "protocol" => agent.protocol = Some(source.protocol(value)?),
                "kind" => agent.kind = source.kind(value)?,
                "probe" => agent.probe = Some(source.probe(value)?),
                _ => return Err(source.unknown_key(key, AGENT_KEYS)),
            }
        }
        if agent.command.is_empty() {
            return Err(source
                .failure(&name.span(), &format!("the agent {} has no command", name.get_ref())));
        }
        Ok(agent)
    }
}

/// Reads a file and every definition in it, for `fuzz/`.
#[cfg(fuzzing)]
pub fn fuzz(bytes: &[u8], path: &Path) {
    let Ok(text) = String::from_utf8(bytes.to_vec()) else { return };
    let Ok(file) = ConfigFile::parse(Source { path: path.to_owned(), text }) else { return };
    let names: Vec<String> = file.names().map(ToOwned::to_owned).collect();
    for name in names {
        // What cannot be expanded is an error like any other.
        let _ = file.definition(&name, &|_| None);
        assert!(file.definition_or_failure(&name, &|_| None).is_some());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn parse(text: &str) -> Result<ConfigFile, Failure> {
        ConfigFile::parse(Source { path: "c.toml".into(), text: text.to_owned() })
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
        assert_eq!(agent.launch.variable("K").map(Secret::reveal), Some("d"));
        assert_eq!(agent.options.timeout, Some(Duration::from_secs(20)));
        assert_eq!(agent.options.protocol, Some(ProtocolChoice::V2));
    }

    #[test]
    fn a_command_is_one_string_a_list_or_a_program_with_arguments() {
        for (text, program, args) in [
            ("command = \"npx -y 'a b'\"", "npx", &["-y", "a b"][..]),
            ("command = [\"my agent\", \"acp\"]", "my agent", &["acp"]),
            ("command = \"my agent\"\nargs = []", "my agent", &[]),
            ("command = \"npx ${NO:-a} '${KEY} b'\"", "npx", &["a", "from-env b"]),
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
                "c.toml:2:11: `${NOPE}` cannot be expanded: NOPE is not set",
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
                            // What cannot be expanded is an error like any other.
                            let _ = file.definition(name, &|_| None);
                        }
                    }
                    Err(failure) => assert!(failure.message.raw().starts_with("c.toml:")),
                }
            }
        }
    }
}
