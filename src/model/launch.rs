//! How a program is started, as data.

use std::path::PathBuf;

use super::Secret;

/// A program with everything it is started with.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    /// A name to look for on PATH, or a path.
    pub program: String,
    pub args: Vec<String>,
    /// A value that follows `args` and is shown nowhere: a key that an agent takes as an argument.
    pub key: Option<Secret>,
    /// Variables that are not inherited.
    pub unset: Vec<String>,
    /// Set over the inherited environment, in this order.
    pub env: Vec<(String, Secret)>,
    /// The working directory; the current one when absent.
    pub cwd: Option<PathBuf>,
}

impl Launch {
    /// A program and its arguments, with nothing else said.
    pub fn new(program: impl Into<String>, args: Vec<String>) -> Self {
        Self { program: program.into(), args, ..Self::default() }
    }

    /// The program and its arguments.
    pub fn words(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.program).chain(&self.args)
    }

    /// Where among its words a program stands: the package's name as npm knows it, a path through
    /// the package, or the program itself.
    #[must_use]
    pub fn position_of(&self, package: Option<&str>, program: &str) -> Option<usize> {
        let is_it = |word: &String| {
            let of_package = package.is_some_and(|package| {
                let rest = word.strip_prefix(package);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('@'))
                    || word.contains(&format!("/node_modules/{package}/"))
            });
            let last = word.rsplit(['/', '\\']).next().unwrap_or(word);
            of_package || last.strip_suffix(".exe").unwrap_or(last) == program
        };
        self.words().position(is_it)
    }

    /// The value that the definition sets for a variable, the last one counting.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&Secret> {
        self.env.iter().rev().find(|(set, _)| set == name).map(|(_, value)| value)
    }

    /// The same program with more arguments and variables, as a terminal login runs it.
    #[must_use]
    pub fn extended(
        &self,
        args: impl IntoIterator<Item = String>,
        env: impl IntoIterator<Item = (String, Secret)>,
    ) -> Self {
        let mut launch = self.clone();
        launch.args.extend(args);
        launch.env.extend(env);
        launch
    }
}
