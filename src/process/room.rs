//! Whether the machine bears more processes: one that waits costs nothing but its memory.

/// What one agent may need, in bytes: most are programs of Node.
#[cfg(target_os = "linux")]
const ONE_AGENT: u64 = 128 << 20;

/// How many more agents can be started now, as far as memory goes, where a processor has nothing to
/// do. None elsewhere than on Linux, where nobody says.
#[cfg(target_os = "linux")]
#[must_use]
pub fn room() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let is_idle = running().is_some_and(|running| running <= cores);
    if is_idle {
        available_memory().map_or(0, |bytes| bytes / ONE_AGENT).try_into().unwrap_or(0)
    } else {
        0
    }
}

#[cfg(not(target_os = "linux"))]
#[must_use]
pub const fn room() -> usize {
    0
}

/// How many threads of the machine want a processor, this one among them: the fourth field of
/// `/proc/loadavg`.
#[cfg(target_os = "linux")]
fn running() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().nth(3)?.split('/').next()?.parse().ok()
}

#[cfg(target_os = "linux")]
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_system_says_how_busy_it_is() {
        assert!(running().is_some_and(|running| running > 0));
        assert!(available_memory().is_some_and(|bytes| bytes > 0));
    }
}
