//! Reading files whose contents are not ours: once, with a limit, and never a device by accident.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::Failure;

/// The longest file of another program that is read, in bytes.
const LONGEST: u64 = 8 << 20;

/// The longest configuration file, which people write by hand, in bytes.
const LONGEST_CONFIGURATION: u64 = 1 << 20;

/// Whether the person named a file, which may then be a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    Yes,
    No,
}

/// Reads a file of at most 8 MiB. One that nobody named is read only when it is a regular file.
///
/// # Errors
/// A configuration failure.
pub fn read(path: &Path, named: Named) -> Result<Arc<[u8]>, Failure> {
    once(LONGEST, path, named)
}

/// Reads a file as it is now, though it was read before.
///
/// # Errors
/// As [`read`].
pub fn read_again(path: &Path) -> Result<Vec<u8>, Failure> {
    read_up_to(LONGEST, path, Named::No)
}

/// Reads a configuration file, of at most 1 MiB.
///
/// # Errors
/// A configuration failure.
pub fn read_configuration(path: &Path, named: Named) -> Result<Arc<[u8]>, Failure> {
    once(LONGEST_CONFIGURATION, path, named)
}

/// What was read of a file.
type Content = Result<Arc<[u8]>, Failure>;

/// Reads a file once a run, whoever asks for it again: what was named may be a pipe.
fn once(longest: u64, path: &Path, named: Named) -> Content {
    static FILES: Mutex<BTreeMap<PathBuf, Content>> = Mutex::new(BTreeMap::new());
    if let Some(read) = FILES.lock().unwrap_or_else(PoisonError::into_inner).get(path) {
        return read.clone();
    }
    let read = read_up_to(longest, path, named).map(Arc::from);
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    files.insert(path.to_owned(), read.clone());
    read
}

fn read_up_to(longest: u64, path: &Path, named: Named) -> Result<Vec<u8>, Failure> {
    let unreadable = |error: io::Error| {
        Failure::config(format!("{} cannot be read", path.display())).because(error)
    };
    let other = |what: &str| Failure::config(format!("{} {what}", path.display()));
    let facts = path.metadata().map_err(unreadable)?;
    if facts.is_dir() {
        return Err(other("is a directory"));
    }
    if named == Named::No && !facts.is_file() {
        return Err(other("is not a regular file, and so not read"));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(longest + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if bytes.len() as u64 > longest {
        return Err(other(&format!("has more than {} MiB, and so is not read", longest >> 20)));
    }
    Ok(bytes)
}
