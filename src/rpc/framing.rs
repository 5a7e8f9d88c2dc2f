//! Lines on an agent's stdout: cut with a limit, and sorted into messages and noise.

use std::borrow::Cow;
use std::io;
use std::time::Duration;

use bytes::BytesMut;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncReadExt};

/// The longest line that is read: 64 MiB. Clients in the field settled on 16 to 64 MiB.
pub const LINE_LIMIT: usize = 64 << 20;

/// How much is read at once.
const CHUNK: usize = 64 << 10;

/// How much of a line that is not a message is kept, in bytes.
const NOISE_KEPT: usize = 64 << 10;

/// How much of lines may be read in vain for the start of a message, in lengths of the line, and
/// in bytes where the line is short.
const READ_IN_VAIN: usize = 3;
const READ_IN_VAIN_AT_LEAST: usize = 64 << 10;

/// Reads lines without ever holding more than the limit.
#[derive(Debug)]
pub struct LineReader<R> {
    source: R,
    buffer: BytesMut,
    /// How far the buffer is known to contain no line feed.
    searched: usize,
    limit: usize,
    ended: bool,
    /// Whether it was reported that the unfinished line rests.
    has_rested: bool,
}

/// What came next from a reader of lines.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    Line(BytesMut),
    /// The start of a line has come, and nothing more for a while.
    Rested,
    End,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub fn new(source: R, limit: usize) -> Self {
        Self {
            source,
            buffer: BytesMut::new(),
            searched: 0,
            limit,
            ended: false,
            has_rested: false,
        }
    }

    /// The next line without its line feed, the unterminated rest at the end; or word that the start
    /// of a line has rested that long, once for every piece that came.
    ///
    /// Cancel safe: what was read stays in the buffer.
    ///
    /// # Errors
    /// `InvalidData` when a line is longer than the limit, else what reading gave.
    pub async fn next(&mut self, rest: Duration) -> io::Result<Step> {
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[self.searched..]) {
                let mut line = self.buffer.split_to(self.searched + at + 1);
                line.truncate(line.len() - 1);
                self.searched = 0;
                return Ok(Step::Line(line));
            }
            self.searched = self.buffer.len();
            if self.searched > self.limit {
                self.buffer = BytesMut::new();
                self.searched = 0;
                return Err(io::Error::new(io::ErrorKind::InvalidData, "line too long"));
            }
            if self.ended {
                self.searched = 0;
                let rest = self.buffer.split();
                return Ok(if rest.is_empty() { Step::End } else { Step::Line(rest) });
            }
            self.buffer.reserve(CHUNK);
            let is_fresh = self.searched > 0 && !self.has_rested;
            let read = self.source.read_buf(&mut self.buffer);
            let count = if is_fresh {
                match tokio::time::timeout(rest, read).await {
                    Ok(count) => count?,
                    Err(_) => {
                        self.has_rested = true;
                        return Ok(Step::Rested);
                    }
                }
            } else {
                read.await?
            };
            self.ended = count == 0;
            self.has_rested = false;
        }
    }

    /// The start of a line whose end has not come yet.
    pub fn unfinished(&self) -> &[u8] {
        &self.buffer[..self.searched]
    }
}

/// The members of a JSON-RPC message, unread; `null` is kept apart from absence.
#[derive(Debug, Deserialize)]
pub struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub error: Option<&'a RawValue>,
}

/// Keeps a `null` that serde would make `None`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// What a line contains.
#[derive(Debug, Default)]
pub struct Pieces<'a> {
    pub messages: Vec<Envelope<'a>>,
    /// The text around the messages, escape sequences and white space aside.
    pub noise: Option<String>,
}

/// Sorts a line into JSON-RPC messages and the rest.
///
/// Tolerates a byte order mark, a carriage return, escape sequences and log text in front of a
/// message, and several messages in one line, a batch included (opencode and kimi glue window
/// titles to their answers).
#[must_use]
pub fn sort_line(line: &[u8]) -> Pieces<'_> {
    let mut pieces = Pieces::default();
    let mut noise: Vec<u8> = Vec::new();
    let mut kept_from = 0;
    let mut at = 0;
    let mut in_vain = 0;
    let allowed = (line.len() * READ_IN_VAIN).max(READ_IN_VAIN_AT_LEAST);
    // Most noise is recognized by this alone, and a flood of it must cost next to nothing.
    if memchr::memmem::find(line, b"\"jsonrpc\"").is_none() {
        at = line.len();
    }
    while let Some(start) = next_start(line, at) {
        if in_vain > allowed {
            break;
        }
        let mut stream =
            serde_json::Deserializer::from_slice(&line[start..]).into_iter::<Envelope>();
        match stream.next() {
            Some(Ok(envelope)) => {
                let end = start + stream.byte_offset();
                if envelope.jsonrpc.is_some() {
                    let before = &line[kept_from..start];
                    noise.extend_from_slice(&before[..before.len().min(NOISE_KEPT)]);
                    pieces.messages.push(envelope);
                    kept_from = end;
                } else {
                    in_vain += end - start;
                }
                at = end;
            }
            _ => {
                // It may have been read to its end before it turned out to be none.
                in_vain += line.len() - start;
                at = start + 1;
            }
        }
    }
    let rest = &line[kept_from..];
    noise.extend_from_slice(&rest[..rest.len().min(NOISE_KEPT)]);
    // What is shown of noise is short; a huge line of it is not copied about.
    noise.truncate(NOISE_KEPT);
    pieces.noise = visible(&noise, !pieces.messages.is_empty());
    pieces
}

/// Where the next JSON object with a member could begin.
fn next_start(line: &[u8], from: usize) -> Option<usize> {
    memchr::memchr_iter(b'{', line.get(from..)?)
        .map(|at| from + at)
        .find(|&at| line[at + 1..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'"'))
}

/// The text of noise as it would be seen; `None` when nothing would.
fn visible(noise: &[u8], beside_messages: bool) -> Option<String> {
    if noise.iter().all(u8::is_ascii_whitespace) {
        return None;
    }
    let text: Cow<'_, str> = String::from_utf8_lossy(noise);
    let text = crate::untrusted::clean_text(&text);
    let text = if beside_messages {
        // What is left of a batch is its brackets and commas.
        text.trim_matches(|character: char| character.is_whitespace() || "[],".contains(character))
    } else {
        text.trim()
    };
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_sorted(line: &[u8], messages: usize, noise: Option<&str>) {
        let pieces = sort_line(line);
        assert_eq!(pieces.messages.len(), messages, "{}", String::from_utf8_lossy(line));
        assert_eq!(pieces.noise.as_deref(), noise);
    }

    #[test]
    fn messages_are_found_whatever_stands_around_them() {
        let message = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        for (before, after, noise) in [
            ("", "", None),
            ("\u{feff}", "\r", None),
            ("\u{1b}]0;ready\u{7}", "\u{1b}[0m", None),
            ("loading {} ", "", Some("loading {}")),
            ("{\"level\":\"info\"} ", "", Some("{\"level\":\"info\"}")),
            ("[", "]", None),
        ] {
            assert_sorted(format!("{before}{message}{after}").as_bytes(), 1, noise);
        }
        assert_sorted(format!("[{message},{message}]").as_bytes(), 2, None);
        assert_sorted(format!("{message}{message}").as_bytes(), 2, None);
    }

    #[test]
    fn what_is_not_a_message_is_noise() {
        assert_sorted(b"[demo-agent] adapter ready", 0, Some("[demo-agent] adapter ready"));
        assert_sorted(b"{\"id\":1,\"result\":{}}", 0, Some("{\"id\":1,\"result\":{}}"));
        assert_sorted(b"  \r", 0, None);
        assert_sorted(b"\xff\xfe{", 0, Some("\u{fffd}\u{fffd}{"));
    }

    const NEVER: Duration = Duration::from_secs(3600);

    #[tokio::test]
    async fn the_rest_without_a_line_feed_is_a_line() {
        let mut lines = LineReader::new(&b"a\nbc"[..], 10);
        assert_eq!(lines.next(NEVER).await.unwrap(), Step::Line(BytesMut::from("a")));
        assert_eq!(lines.next(NEVER).await.unwrap(), Step::Line(BytesMut::from("bc")));
        assert_eq!(lines.next(NEVER).await.unwrap(), Step::End);
    }

    #[tokio::test]
    async fn an_unfinished_line_is_reported_once() {
        let (mut writer, reader) = tokio::io::duplex(64);
        let mut lines = LineReader::new(reader, 10);
        tokio::io::AsyncWriteExt::write_all(&mut writer, b"ab").await.unwrap();
        assert_eq!(lines.next(Duration::ZERO).await.unwrap(), Step::Rested);
        assert_eq!(lines.unfinished(), b"ab");
        drop(writer);
        assert_eq!(lines.next(Duration::ZERO).await.unwrap(), Step::Line(BytesMut::from("ab")));
    }

    #[tokio::test]
    async fn a_line_past_the_limit_is_an_error() {
        let mut lines = LineReader::new(&b"0123456789abc"[..], 10);
        let error = lines.next(NEVER).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_sorted(line: Vec<u8>, message in r#"\{"jsonrpc":"2\.0"(,"[a-z]{1,6}":(1|null|\{\}|"[^"\\\x00-\x1f]*"))*\}?"#, cut: proptest::sample::Index) {
            let mut mixed = line.clone();
            mixed.splice(cut.index(line.len() + 1)..cut.index(line.len() + 1), message.bytes());
            for line in [line, mixed] {
                let pieces = sort_line(&line);
                let noise = pieces.noise.unwrap_or_default();
                assert!(!noise.contains('\u{1b}'));
            }
        }
    }
}
