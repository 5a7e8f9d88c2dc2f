//! A form that an agent asks the person to fill in: every answer is checked before it is sent.

use serde_json::{Map, Value};
use url::Url;

use crate::model::{Failure, Field, FieldKind, FieldOption, Reply};
use crate::redact::is_secret_name;
use crate::ui::{Check, Choice, Ui};
use crate::untrusted::clean;
use crate::untrusted::{Clean, Untrusted};

/// Puts the form to the person.
///
/// # Errors
/// `interrupted`.
pub async fn fill_in(
    agent: &str,
    message: &Untrusted,
    fields: &[Field],
    ui: &Ui,
) -> Result<Reply, Failure> {
    ui.note(&clean!("{agent} asks: {}", message.line()));
    match ui.confirm(agent, &clean!("Answer {agent}?"), true).await? {
        Some(true) => {}
        Some(false) => return Ok(Reply::Decline),
        None => return Ok(Reply::Cancel),
    }
    let mut answers = Map::new();
    for field in fields {
        match ask_field(agent, field, ui).await? {
            Answer::Value(value) => {
                answers.insert(field.name.raw().to_owned(), value);
            }
            Answer::Nothing => {}
            Answer::Left => return Ok(Reply::Cancel),
        }
    }
    Ok(Reply::Accept(answers))
}

enum Answer {
    Value(Value),
    /// A field that need not be answered was not.
    Nothing,
    /// The person left the form.
    Left,
}

async fn ask_field(agent: &str, field: &Field, ui: &Ui) -> Result<Answer, Failure> {
    let question = field.question();
    let required = field.required;
    let left = Answer::Left;
    Ok(match &field.kind {
        FieldKind::Text { default, .. } => {
            let answer = if field.is_secret() {
                ask_hidden(agent, &question, field, ui).await?
            } else {
                ui.ask_text(
                    agent,
                    &question,
                    offered(agent, default.as_ref(), ui),
                    text_check(field),
                )
                .await?
            };
            if answer.is_empty() && !required {
                Answer::Nothing
            } else {
                Answer::Value(answer.into())
            }
        }
        FieldKind::Number { whole, default, .. } => {
            let default = default.map(|default| clean!("{default}"));
            let answer = ui.ask_text(agent, &question, default, number_check(field)).await?;
            match number(&answer, *whole) {
                Some(number) => Answer::Value(number),
                None => Answer::Nothing,
            }
        }
        FieldKind::Flag { default } => {
            match ui.confirm(agent, &question, default.unwrap_or(false)).await? {
                Some(answer) => Answer::Value(answer.into()),
                None => left,
            }
        }
        FieldKind::One { options, default } => {
            let mut choices = as_choices(options);
            if !required {
                choices.push(Choice { title: "(no answer)".into(), detail: Clean::default() });
            }
            let first = options.iter().position(|option| Some(&option.value) == default.as_ref());
            match ui.choose(agent, &question, &choices, first.unwrap_or(0)).await? {
                Some(index) => match options.get(index) {
                    Some(option) => Answer::Value(option.value.raw().into()),
                    None => Answer::Nothing,
                },
                None => left,
            }
        }
        FieldKind::Many { options, least, most, default } => {
            let mut chosen: Vec<bool> =
                options.iter().map(|option| default.contains(&option.value)).collect();
            loop {
                let choices = as_choices(options);
                let picked = ui.choose_several(agent, &question, &choices, chosen.clone()).await?;
                let Some(picked) = picked else { break left };
                let count = picked.len() as u64;
                let least = least.unwrap_or(u64::from(required));
                if count >= least && most.is_none_or(|most| count <= most) {
                    let values =
                        picked.iter().map(|&index| Value::from(options[index].value.raw()));
                    break Answer::Value(Value::Array(values.collect()));
                }
                let most = most.map_or_else(|| options.len().to_string(), |most| most.to_string());
                ui.note(&clean!("choose {least} to {most}"));
                chosen = (0..options.len()).map(|index| picked.contains(&index)).collect();
            }
        }
    })
}

/// A default, where what is shown is what would be sent.
fn offered(agent: &str, default: Option<&Untrusted>, ui: &Ui) -> Option<Clean> {
    let default = default?;
    if default.line().as_str() == default.raw() {
        return Some(default.line());
    }
    let label = default.label();
    ui.note(&clean!(
        "{agent} suggests an answer with characters that cannot be seen, not offered: {label}"
    ));
    None
}

/// Asks for what looks like a secret, unseen, until it fits.
async fn ask_hidden(
    agent: &str,
    question: &Clean,
    field: &Field,
    ui: &Ui,
) -> Result<String, Failure> {
    let check = text_check(field);
    loop {
        let answer = ui.ask_secret(agent, question).await?;
        match check(answer.reveal()) {
            Ok(()) => return Ok(answer.reveal().to_owned()),
            Err(reason) => ui.note(&reason),
        }
    }
}

fn as_choices(options: &[FieldOption]) -> Vec<Choice> {
    options
        .iter()
        .map(|option| {
            let value = option.value.label();
            match &option.title {
                Some(title) => Choice { title: title.label(), detail: value },
                None => Choice { title: value, detail: Clean::default() },
            }
        })
        .collect()
}

/// What a form says of a field.
impl Field {
    /// Whether it asks for a secret, which agents must not do by a form, and some do.
    fn is_secret(&self) -> bool {
        let title = self.title.as_ref().map(|title| title.raw().replace(' ', "_"));
        is_secret_name(self.name.raw()) || title.is_some_and(|title| is_secret_name(&title))
    }

    fn question(&self) -> Clean {
        let name = self.title.as_ref().unwrap_or(&self.name).label();
        let description = self.description.as_ref().map(|text| format!(" — {}", text.line()));
        let optional = if self.required { "" } else { " (may be empty)" };
        clean!("{name}{}{optional}", description.unwrap_or_default())
    }
}

/// A check of a text against the field's limits, pattern and format.
fn text_check(field: &Field) -> Check {
    let FieldKind::Text { shortest, longest, pattern, format, .. } = &field.kind else {
        return Box::new(|_| Ok(()));
    };
    let (required, shortest, longest) = (field.required, *shortest, *longest);
    // A pattern this program cannot read is the agent's to check.
    let wanted = pattern.as_ref().map(Untrusted::label).unwrap_or_default();
    let pattern = pattern.as_ref().and_then(|pattern| regex_lite::Regex::new(pattern.raw()).ok());
    let format = format.as_ref().map(|format| format.raw().to_owned());
    Box::new(move |answer| {
        if answer.is_empty() {
            return if required { Err("an answer is needed".into()) } else { Ok(()) };
        }
        let length = answer.chars().count() as u64;
        if let Some(shortest) = shortest
            && length < shortest
        {
            return Err(clean!("at least {shortest} characters"));
        }
        if let Some(longest) = longest
            && length > longest
        {
            return Err(clean!("at most {longest} characters"));
        }
        if let Some(pattern) = &pattern
            && !pattern.is_match(answer)
        {
            return Err(clean!("it does not match {wanted}"));
        }
        match format.as_deref() {
            Some(format) if !fits_format(answer, format) => {
                Err(clean!("it is not a valid {format}"))
            }
            _ => Ok(()),
        }
    })
}

fn fits_format(answer: &str, format: &str) -> bool {
    match format {
        "email" => answer.split_once('@').is_some_and(|(user, host)| {
            !user.is_empty() && !host.is_empty() && !answer.contains(char::is_whitespace)
        }),
        "uri" => Url::parse(answer).is_ok(),
        "date" => humantime::parse_rfc3339(&format!("{answer}T00:00:00Z")).is_ok(),
        "date-time" => humantime::parse_rfc3339_weak(answer).is_ok(),
        _ => true,
    }
}

fn number_check(field: &Field) -> Check {
    let FieldKind::Number { whole, least, most, .. } = &field.kind else {
        return Box::new(|_| Ok(()));
    };
    let (required, whole, least, most) = (field.required, *whole, *least, *most);
    Box::new(move |answer| {
        if answer.trim().is_empty() {
            return if required { Err("an answer is needed".into()) } else { Ok(()) };
        }
        let Some(number) = number(answer, whole).and_then(|number| number.as_f64()) else {
            return Err(if whole { "a whole number" } else { "a number" }.into());
        };
        if let Some(least) = least
            && number < least
        {
            return Err(clean!("at least {least}"));
        }
        if let Some(most) = most
            && number > most
        {
            return Err(clean!("at most {most}"));
        }
        Ok(())
    })
}

fn number(answer: &str, whole: bool) -> Option<Value> {
    let answer = answer.trim();
    if whole {
        return answer.parse::<i64>().ok().map(Value::from);
    }
    serde_json::Number::from_f64(answer.parse().ok()?).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(required: bool, kind: FieldKind) -> Field {
        Field { name: "f".into(), title: None, description: None, required, kind }
    }

    fn text(pattern: Option<&str>, format: Option<&str>) -> FieldKind {
        FieldKind::Text {
            shortest: Some(2),
            longest: Some(30),
            pattern: pattern.map(Untrusted::from),
            format: format.map(Untrusted::from),
            default: None,
        }
    }

    #[test]
    fn texts_are_checked_before_they_are_sent() {
        for (kind, answer, fits) in [
            (text(None, None), "a", false),
            (text(None, None), "ab", true),
            (text(None, None), &"x".repeat(31), false),
            (text(Some("^[0-9]+$"), None), "12a", false),
            (text(Some("^[0-9]+$"), None), "123", true),
            (text(Some("(["), None), "ab", true),
            (text(None, Some("email")), "a@b.test", true),
            (text(None, Some("email")), "a b@c", false),
            (text(None, Some("uri")), "https://a.test", true),
            (text(None, Some("uri")), "not a uri", false),
            (text(None, Some("date")), "2026-02-30", false),
            (text(None, Some("date")), "2026-02-28", true),
            (text(None, Some("date-time")), "2026-02-28T10:00:00Z", true),
        ] {
            let field = field(true, kind);
            assert_eq!(text_check(&field)(answer).is_ok(), fits, "{answer} for {:?}", field.kind);
            assert!(text_check(&field)("").is_err());
        }
    }

    #[test]
    fn numbers_are_checked_before_they_are_sent() {
        let kind =
            |whole| FieldKind::Number { whole, least: Some(1.0), most: Some(9.0), default: None };
        for (whole, answer, fits) in [
            (true, "3", true),
            (true, "3.5", false),
            (false, "3.5", true),
            (false, "0", false),
            (true, "10", false),
            (false, "x", false),
        ] {
            assert_eq!(number_check(&field(true, kind(whole)))(answer).is_ok(), fits, "{answer}");
        }
        assert!(number_check(&field(false, kind(true)))("").is_ok());
    }
}
