//! A started program: a process group's leader on Unix, a job object on Windows.

use std::io;

use tokio::process::Command;

#[cfg(not(windows))]
pub use unix::{Child, spawn_group};
#[cfg(windows)]
pub use windows::{Child, spawn_group};

/// The pipes of a program that was started with all three.
pub struct Pipes {
    pub stdin: tokio::process::ChildStdin,
    pub stdout: tokio::process::ChildStdout,
    pub stderr: tokio::process::ChildStderr,
}

#[cfg(not(windows))]
mod unix {
    use super::{Command, Pipes, io};

    pub type Child = tokio::process::Child;

    pub fn spawn_group(mut command: Command) -> io::Result<Child> {
        #[cfg(unix)]
        command.process_group(0);
        command.spawn()
    }

    /// Takes the pipes; `None` when the program ended before.
    pub fn pipes(child: &mut Child) -> Option<Pipes> {
        Some(Pipes {
            stdin: child.stdin.take()?,
            stdout: child.stdout.take()?,
            stderr: child.stderr.take()?,
        })
    }
}

#[cfg(windows)]
mod windows {
    use process_wrap::tokio::{ChildWrapper, CommandWrap, JobObject, KillOnDrop};

    use super::{Command, Pipes, io};

    pub type Child = Box<dyn ChildWrapper>;

    pub fn spawn_group(command: Command) -> io::Result<Child> {
        CommandWrap::from(command).wrap(KillOnDrop).wrap(JobObject).spawn()
    }

    /// Takes the pipes; `None` when the program ended before.
    pub fn pipes(child: &mut Child) -> Option<Pipes> {
        Some(Pipes {
            stdin: child.stdin().take()?,
            stdout: child.stdout().take()?,
            stderr: child.stderr().take()?,
        })
    }
}

#[cfg(not(windows))]
pub use unix::pipes;
#[cfg(windows)]
pub use windows::pipes;
