//! Imports run one way: a test reads them, and fails on an arrow that runs up.

use std::path::{Path, PathBuf};

/// The modules from the bottom to the top, a row a layer: a module imports from rows below its own.
/// `ARCHITECTURE.md` draws the same.
const LAYERS: &[&[&str]] = &[
    &["untrusted", "duration"],
    &["model"],
    &["environment", "exit", "interrupt"],
    &["json", "shell"],
    &["redact"],
    &["trace", "process"],
    &["rpc", "ui"],
    &["acp", "mcp", "agents"],
    &["evidence"],
    &["flows"],
    &["outcome"],
    &["render"],
    &["cli"],
    &["commands"],
];

/// What is about the crate as a whole.
const OUTSIDE: &[&str] = &["lib", "main", "fuzzing", "generated", "layers"];

fn layer(module: &str) -> usize {
    LAYERS
        .iter()
        .position(|layer| layer.contains(&module))
        .unwrap_or_else(|| panic!("{module} has no layer; ARCHITECTURE.md says which there are"))
}

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// The modules a file names after `crate::`, its tests aside.
fn imported(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    code.split("crate::")
        .skip(1)
        .flat_map(|rest| {
            let group = rest.strip_prefix('{').and_then(|rest| rest.split('}').next());
            let names = group.unwrap_or(rest).split(',').filter(|_| group.is_some());
            let first = rest.trim_start_matches('{');
            names
                .chain([first])
                .map(|name| {
                    name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
                })
                .collect::<Vec<String>>()
        })
        .filter(|name: &String| !name.is_empty())
        .collect()
}

#[test]
fn imports_run_one_way() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    files(&source, &mut found);
    assert!(found.len() > 50);
    let mut wrong = Vec::new();
    for file in found {
        let path = file.strip_prefix(&source).unwrap();
        let first = path.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = first.trim_end_matches(".rs");
        if OUTSIDE.contains(&module) {
            continue;
        }
        for name in imported(&std::fs::read_to_string(&file).unwrap()) {
            let is_test_help = name == "generated";
            if name != module && !is_test_help && layer(&name) >= layer(module) {
                wrong.push(format!("{} imports {name}, which is not below it", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_picture_is_this_one() {
    let drawn = include_str!("../ARCHITECTURE.md");
    let mut rows: Vec<String> = LAYERS.iter().map(|layer| layer.join("  ")).collect();
    rows.reverse();
    for row in rows {
        assert!(drawn.contains(&format!("    {row}\n")), "ARCHITECTURE.md does not draw `{row}`");
    }
}
