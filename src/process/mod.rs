//! Programs: how they are started, ended, and what they say beside any protocol. Knows nothing
//! about messages.

mod capture;
mod child;
mod foreground;
mod group;
mod launch;
mod pipes;
mod room;

pub use capture::{Captured, capture};
pub use child::{Child, Pipes, pipes};
pub use foreground::{Ended, wait_for};
pub use group::{ProcessGroup, adopt_orphans};
pub use launch::{locate, start_on_terminal, start_piped};
pub use pipes::{Listener, Tail, describe_exit, signal_of};
pub use room::room;
