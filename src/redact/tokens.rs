//! Shapes of secrets that nobody told us: a row a provider or a form.

use std::sync::OnceLock;

use regex_lite::Regex;

/// A form of token that a provider documents.
struct Token {
    /// Who issues it, and where its form is documented.
    #[cfg_attr(not(test), expect(dead_code, reason = "it is for who reads the table"))]
    provider: &'static str,
    /// How it begins, as a pattern.
    prefix: &'static str,
    /// The fewest characters after that.
    least: usize,
}

/// Letters and digits with the separators that tokens use follow every prefix.
const TOKENS: &[Token] = &[
    Token {
        provider: "OpenAI, Anthropic, DeepSeek and others: API keys",
        prefix: "(?:sk|pk|rk)-",
        least: 12,
    },
    Token {
        provider: "Stripe: docs.stripe.com/keys",
        prefix: "(?:sk|pk|rk)_(?:live|test)_",
        least: 12,
    },
    Token {
        provider: "Stripe: webhook secrets, docs.stripe.com/webhooks",
        prefix: "whsec_",
        least: 12,
    },
    Token {
        provider: "GitHub: token formats, docs.github.com/authentication",
        prefix: "(?:gh[pousr]|github_pat)_",
        least: 12,
    },
    Token {
        provider: "GitLab: docs.gitlab.com/security/tokens",
        prefix: "gl(?:pat|oas|dt|rt|ptt|ft|soat|cbt|imt|agent)-",
        least: 12,
    },
    Token {
        provider: "Slack: api.slack.com/authentication/token-types",
        prefix: "(?:xox[abeoprs]|xapp)-",
        least: 10,
    },
    Token {
        provider: "Google: API keys, cloud.google.com/docs/authentication/api-keys",
        prefix: "AIza",
        least: 16,
    },
    Token { provider: "Google: OAuth access tokens", prefix: r"ya29\.", least: 16 },
    Token { provider: "Google: OAuth client secrets", prefix: "GOCSPX-", least: 12 },
    Token {
        provider: "AWS: access key ids, docs.aws.amazon.com/IAM identifiers",
        prefix: "(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ABIA|ACCA)",
        least: 12,
    },
    Token {
        provider: "Hugging Face: huggingface.co/docs/hub/security-tokens",
        prefix: "(?:hf|api_org)_",
        least: 12,
    },
    Token { provider: "Groq: console.groq.com/docs", prefix: "gsk_", least: 12 },
    Token { provider: "xAI: docs.x.ai", prefix: "xai-", least: 12 },
    Token { provider: "Perplexity: docs.perplexity.ai", prefix: "pplx-", least: 12 },
    Token { provider: "Replicate: replicate.com/docs", prefix: "r8_", least: 12 },
    Token { provider: "PyPI: pypi.org/help/#apitoken", prefix: "pypi-", least: 12 },
    Token { provider: "npm: docs.npmjs.com/about-access-tokens", prefix: "npm_", least: 12 },
    Token { provider: "Linear: developers.linear.app", prefix: "lin_(?:api|oauth)_", least: 12 },
    Token {
        provider: "DigitalOcean: docs.digitalocean.com/reference/api",
        prefix: "do[opr]_v1_",
        least: 12,
    },
    Token { provider: "Atlassian: API tokens", prefix: "ATATT", least: 12 },
    Token {
        provider: "Shopify: shopify.dev/docs/apps/auth",
        prefix: "shp(?:at|ca|pa|ss)_",
        least: 12,
    },
    Token { provider: "Notion: developers.notion.com", prefix: "(?:ntn|secret)_", least: 12 },
    Token { provider: "Supabase: supabase.com/docs", prefix: "sb(?:p|_secret)_", least: 10 },
    Token { provider: "Sentry: docs.sentry.io", prefix: "sntr(?:ys|yu)_", least: 12 },
    Token { provider: "SendGrid: docs.sendgrid.com", prefix: r"SG\.", least: 16 },
];

/// A pattern, and what it leaves.
pub type Shape = (Regex, &'static str);

/// The patterns of everything that looks like a secret.
pub fn shapes() -> &'static [Shape] {
    static SHAPES: OnceLock<Vec<Shape>> = OnceLock::new();
    SHAPES.get_or_init(|| {
        let tokens: Vec<String> = TOKENS
            .iter()
            .map(|token| format!("{}[A-Za-z0-9._=-]{{0,4}}[A-Za-z0-9_-]{{{},}}", token.prefix, token.least - 2))
            .collect();
        vec![
            // A key as a file has it, also where only its start has come.
            (
                compile(r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)"),
                "[redacted]",
            ),
            // scheme://user:password@host and scheme://TOKEN@host.
            (compile(r"(://[^/\s:@]+:)[^/\s@]{3,}@"), "$1[redacted]@"),
            (compile(r"(://)[^/\s:@?#]{12,}@"), "$1[redacted]@"),
            // A header with whatever scheme it has.
            (
                compile(r"(?i)\b((?:proxy-)?authorization\s*[:=]\s*(?:[a-z]+\s+)?)[^\s,;]{8,}"),
                "$1[redacted]",
            ),
            (compile(r"(?i)\b((?:set-)?cookie\s*:\s*)[^\r\n]{6,}"), "$1[redacted]"),
            (compile(r"(?i)\b(bearer|basic)(\s+)[a-z0-9._~+/=-]{8,}"), "$1$2[redacted]"),
            // ?key=…, as addresses have it.
            (
                compile(r"(?i)([?&](?:key|sig|signature|token|access_token|refresh_token|id_token|api_key|apikey|client_secret|password)=)[^&\s#]{4,}"),
                "$1[redacted]",
            ),
            // --token VALUE.
            (
                compile(r"(?i)(--?[\w-]*(?:api-?key|token|secret|password|passwd)(?:\s+|=))[^\s-][^\s]{5,}"),
                "$1[redacted]",
            ),
            // NAME=value, NAME: "value", and NAME: value where it has a digit and so is not prose.
            (named_value(r#"\s*=\s*["']?)[^\s"',;&\[\]{}]{4,}"#), "$1[redacted]"),
            (named_value(r#"["']?\s*:\s*["'])[^\s"',;&\[\]{}]{4,}"#), "$1[redacted]"),
            (
                named_value(r#"["']?\s*:\s*)[^\s"',;&\[\]{}]{3,}[0-9][^\s"',;&\[\]{}]{3,}"#),
                "$1[redacted]",
            ),
            // The forty characters of an AWS secret are only known by their name.
            (compile(&format!(r"\b(?:{})", tokens.join("|"))), "[redacted]"),
            (compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*"), "[redacted]"),
        ]
    })
}

/// A name that says that a secret follows, and `rest`, whose first group ends before the value.
fn named_value(rest: &str) -> Regex {
    let name = r"(?i)([\w-]*(?:api[_-]?key|access[_-]?key|private[_-]?key|token|secret|passw(?:or)?d|passphrase|credential)s?";
    compile(&format!("{name}{rest}"))
}

#[expect(clippy::expect_used, reason = "the patterns are literals of this program and tested")]
pub fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a literal pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_says_whose_it_is_and_is_matched() {
        for token in TOKENS {
            assert!(!token.provider.is_empty());
            let start = regex_lite::Regex::new(&format!("^{}", token.prefix)).unwrap();
            let known = [
                "sk-", "sk_live_", "whsec_", "ghp_", "glpat-", "xoxb-", "AIza", "ya29.", "GOCSPX-",
                "AKIA", "hf_", "gsk_", "xai-", "pplx-", "r8_", "pypi-", "npm_", "lin_api_",
                "dop_v1_", "ATATT", "shpat_", "ntn_", "sbp_", "sntrys_", "SG.",
            ];
            let Some(prefix) = known.iter().find(|known| start.is_match(known)) else {
                panic!("no example of {}", token.provider)
            };
            let text = format!("got {prefix}Aa0Bb1Cc2Dd3Ee4Ff5 here");
            let hit = shapes().iter().any(|(shape, _)| shape.is_match(&text));
            assert!(hit, "{text}");
        }
    }
}
