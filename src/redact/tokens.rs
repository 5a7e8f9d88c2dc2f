//! Shapes of secrets that nobody told us: a row a provider or a form.

use std::sync::OnceLock;

use regex_lite::Regex;

/// A form of token that a provider documents.
struct Token {
    /// Who issues it, and where its form is documented.
    #[cfg_attr(not(test), expect(dead_code, reason = "it is for who reads the table"))]
    provider: &'static str,
    /// How it begins.
    starts: &'static [&'static str],
    /// The fewest characters after that.
    least: usize,
}

/// Letters and digits with the separators that tokens use follow every start.
const TOKENS: &[Token] = &[
    Token {
        provider: "OpenAI, Anthropic, DeepSeek and others: API keys",
        starts: &["sk-", "pk-", "rk-"],
        least: 12,
    },
    Token {
        provider: "Stripe: docs.stripe.com/keys",
        starts: &["sk_live_", "sk_test_", "pk_live_", "pk_test_", "rk_live_", "rk_test_"],
        least: 12,
    },
    Token {
        provider: "Stripe: webhook secrets, docs.stripe.com/webhooks",
        starts: &["whsec_"],
        least: 12,
    },
    Token {
        provider: "GitHub: token formats, docs.github.com/authentication",
        starts: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        least: 12,
    },
    Token {
        provider: "GitLab: docs.gitlab.com/security/tokens",
        starts: &[
            "glpat-", "gloas-", "gldt-", "glrt-", "glptt-", "glft-", "glsoat-", "glcbt-", "glimt-",
            "glagent-",
        ],
        least: 12,
    },
    Token {
        provider: "Slack: api.slack.com/authentication/token-types",
        starts: &["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"],
        least: 10,
    },
    Token {
        provider: "Google: API keys, cloud.google.com/docs/authentication/api-keys",
        starts: &["AIza"],
        least: 16,
    },
    Token { provider: "Google: OAuth access tokens", starts: &["ya29."], least: 16 },
    Token { provider: "Google: OAuth client secrets", starts: &["GOCSPX-"], least: 12 },
    Token {
        provider: "AWS: access key ids, docs.aws.amazon.com/IAM identifiers",
        starts: &["AKIA", "ASIA", "AGPA", "AIDA", "AROA", "ANPA", "ABIA", "ACCA"],
        least: 12,
    },
    Token {
        provider: "Hugging Face: huggingface.co/docs/hub/security-tokens",
        starts: &["hf_", "api_org_"],
        least: 12,
    },
    Token { provider: "Groq: console.groq.com/docs", starts: &["gsk_"], least: 12 },
    Token { provider: "xAI: docs.x.ai", starts: &["xai-"], least: 12 },
    Token { provider: "Perplexity: docs.perplexity.ai", starts: &["pplx-"], least: 12 },
    Token { provider: "Replicate: replicate.com/docs", starts: &["r8_"], least: 12 },
    Token { provider: "PyPI: pypi.org/help/#apitoken", starts: &["pypi-"], least: 12 },
    Token { provider: "npm: docs.npmjs.com/about-access-tokens", starts: &["npm_"], least: 12 },
    Token {
        provider: "Linear: developers.linear.app",
        starts: &["lin_api_", "lin_oauth_"],
        least: 12,
    },
    Token {
        provider: "DigitalOcean: docs.digitalocean.com/reference/api",
        starts: &["doo_v1_", "dop_v1_", "dor_v1_"],
        least: 12,
    },
    Token { provider: "Atlassian: API tokens", starts: &["ATATT"], least: 12 },
    Token {
        provider: "Shopify: shopify.dev/docs/apps/auth",
        starts: &["shpat_", "shpca_", "shppa_", "shpss_"],
        least: 12,
    },
    Token { provider: "Notion: developers.notion.com", starts: &["ntn_", "secret_"], least: 12 },
    Token { provider: "Supabase: supabase.com/docs", starts: &["sbp_", "sb_secret_"], least: 10 },
    Token { provider: "Sentry: docs.sentry.io", starts: &["sntrys_", "sntryu_"], least: 12 },
    Token { provider: "SendGrid: docs.sendgrid.com", starts: &["SG."], least: 16 },
];

/// A form of secret that is no provider's, and what is left of it.
struct Form {
    /// What every such secret has in it, in lower case: a text without that is not searched.
    markers: &'static [&'static str],
    pattern: &'static str,
    replacement: &'static str,
}

/// Names that say that a secret follows.
macro_rules! named {
    ($rest:literal) => {
        concat!(
            r"(?i)([\w-]*(?:api[_-]?key|access[_-]?key|private[_-]?key|token|secret|passw(?:or)?d|passphrase|credential)s?",
            $rest
        )
    };
}

/// What such names have in them.
const NAMES: &[&str] = &["key", "token", "secret", "passw", "passphrase", "credential"];

const FORMS: &[Form] = &[
    // A key as a file has it, also where only its start has come.
    Form {
        markers: &["-----begin "],
        pattern: r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)",
        replacement: "[redacted]",
    },
    // scheme://user:password@host and scheme://TOKEN@host.
    Form {
        markers: &["://"],
        pattern: r"(://[^/\s:@]+:)[^/\s@]{3,}@",
        replacement: "$1[redacted]@",
    },
    Form { markers: &["://"], pattern: r"(://)[^/\s:@?#]{12,}@", replacement: "$1[redacted]@" },
    // A header with whatever scheme it has.
    Form {
        markers: &["authorization"],
        pattern: r"(?i)\b((?:proxy-)?authorization\s*[:=]\s*(?:[a-z]+\s+)?)[^\s,;]{8,}",
        replacement: "$1[redacted]",
    },
    Form {
        markers: &["cookie"],
        pattern: r"(?i)\b((?:set-)?cookie\s*:\s*)[^\r\n]{6,}",
        replacement: "$1[redacted]",
    },
    Form {
        markers: &["bearer", "basic"],
        pattern: r"(?i)\b(bearer|basic)(\s+)[a-z0-9._~+/=-]{8,}",
        replacement: "$1$2[redacted]",
    },
    // ?key=…, as addresses have it.
    Form {
        markers: &["key=", "sig=", "signature=", "token=", "secret=", "password="],
        pattern: r"(?i)([?&](?:key|sig|signature|token|access_token|refresh_token|id_token|api_key|apikey|client_secret|password)=)[^&\s#]{4,}",
        replacement: "$1[redacted]",
    },
    // --token VALUE.
    Form {
        markers: NAMES,
        pattern: r"(?i)(--?[\w-]*(?:api-?key|token|secret|password|passwd)(?:\s+|=))[^\s-][^\s]{5,}",
        replacement: "$1[redacted]",
    },
    // NAME=value, NAME: "value", and NAME: value where it has a digit and so is not prose.
    Form {
        markers: NAMES,
        pattern: named!(r#"\s*=\s*["']?)[^\s"',;&\[\]{}]{4,}"#),
        replacement: "$1[redacted]",
    },
    Form {
        markers: NAMES,
        pattern: named!(r#"["']?\s*:\s*["'])[^\s"',;&\[\]{}]{4,}"#),
        replacement: "$1[redacted]",
    },
    Form {
        markers: NAMES,
        pattern: named!(r#"["']?\s*:\s*)[^\s"',;&\[\]{}]{3,}[0-9][^\s"',;&\[\]{}]{3,}"#),
        replacement: "$1[redacted]",
    },
    // A JSON Web Token, RFC 7519.
    Form {
        markers: &["eyj"],
        pattern: r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*",
        replacement: "[redacted]",
    },
];

/// Replaces whatever looks like a secret.
pub fn hide_shapes(mut text: String) -> String {
    static TOKEN: OnceLock<Regex> = OnceLock::new();
    static COMPILED: [OnceLock<Regex>; FORMS.len()] = [const { OnceLock::new() }; FORMS.len()];
    let lower = text.to_ascii_lowercase();
    for (form, compiled) in FORMS.iter().zip(&COMPILED) {
        if form.markers.iter().any(|marker| lower.contains(marker)) {
            let regex = compiled.get_or_init(|| compile(form.pattern));
            text = regex.replace_all(&text, form.replacement).into_owned();
        }
    }
    let starts = || TOKENS.iter().flat_map(|token| token.starts);
    if starts().any(|start| text.contains(start)) {
        let regex = TOKEN.get_or_init(|| compile(&any_token()));
        text = regex.replace_all(&text, "[redacted]").into_owned();
    }
    text
}

/// A pattern of all tokens.
fn any_token() -> String {
    let forms = TOKENS.iter().map(|token| {
        let starts: Vec<String> =
            token.starts.iter().map(|start| regex_lite::escape(start)).collect();
        let (starts, least) = (starts.join("|"), token.least - 2);
        format!("(?:{starts})[A-Za-z0-9._=-]{{0,4}}[A-Za-z0-9_-]{{{least},}}")
    });
    format!(r"\b(?:{})", forms.collect::<Vec<_>>().join("|"))
}

#[expect(clippy::expect_used, reason = "the patterns are literals of this program and tested")]
pub fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a literal pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_says_whose_it_is_and_is_found() {
        for token in TOKENS {
            assert!(!token.provider.is_empty());
            for start in token.starts {
                let text = format!("got {start}Aa0Bb1Cc2Dd3Ee4Ff5 here");
                assert_eq!(hide_shapes(text), "got [redacted] here", "{start}");
            }
        }
    }
}
