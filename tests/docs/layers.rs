//! The layers: a crate depends only on crates below it, and inside a crate modules import each other in one order.
//!
//! The order of the crates is that of `[workspace.dependencies]`, and `docs/design.md` shows it. The order of the modules
//! of a crate is the list `Modules, the lowest first` at the head of its `lib.rs`; modules on one line may import each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The largest number of files that may import each other in a circle.
const MAX_CYCLE: usize = 8;

/// The largest number of types that `src/lib.rs` makes public.
const MAX_PUBLIC_TYPES: usize = 35;

type Module = Vec<String>;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the crates below `charpipe`, the lowest first, without the prefix of their names.
fn crates() -> Vec<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let lines = manifest.lines().skip_while(|line| *line != "[workspace.dependencies]");
    let names = lines.filter_map(|line| line.strip_prefix("charpipe-")?.split_once(' '));
    names.filter(|(_, rest)| rest.contains("crates/")).map(|(name, _)| name.to_owned()).collect()
}

/// Returns the `.rs` files below a directory.
pub fn source_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(source_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// Returns the modules of a crate with their source text, without comments and unit tests.
fn modules(source: &Path) -> BTreeMap<Module, String> {
    let module = |path: &Path| {
        let relative = path.strip_prefix(source).unwrap().with_extension("");
        let mut parts: Module =
            relative.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
        parts.pop_if(|last| last == "lib" || last == "mod");
        parts
    };
    let text = |path: &Path| {
        let text = fs::read_to_string(path).unwrap();
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
        lines.collect::<Vec<_>>().join("\n")
    };
    let is_test = |module: &Module| {
        module.last().is_some_and(|name| name.ends_with("testing") || name == "tests")
    };
    let files = source_files(source);
    let all = files.iter().map(|path| (module(path), text(path)));
    all.filter(|(module, _)| !is_test(module)).collect()
}

/// Appends the paths that a use tree such as `a::{b, c::d}` names.
fn expand_use_tree(prefix: &[&str], tree: &str, paths: &mut Vec<Module>) {
    let tree = tree.trim();
    let (head, group) = tree.split_once('{').map_or((tree, None), |(head, rest)| {
        (head, Some(rest.rsplit_once('}').map_or(rest, |(group, _)| group)))
    });
    let head = head.split(" as ").next().unwrap_or_default();
    let names = head.split("::").map(str::trim).filter(|name| !name.is_empty());
    let path: Vec<&str> = prefix.iter().copied().chain(names).collect();
    let Some(group) = group else {
        paths.push(path.iter().map(|&name| name.to_owned()).collect());
        return;
    };
    let (mut depth, mut start) = (0, 0);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand_use_tree(&path, &group[start..at], paths);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !group[start..].trim().is_empty() {
        expand_use_tree(&path, &group[start..], paths);
    }
}

/// Returns all paths that begin with `crate`, `super` or `self`.
fn local_paths(code: &str) -> Vec<Module> {
    let mut paths = Vec::new();
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    for keyword in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(keyword) {
            if code[..at]
                .ends_with(|before: char| is_word(before) || before == ':' || before == '$')
            {
                continue;
            }
            let statement = code[..at].rsplit([';', '}', ')', ']']).next().unwrap_or_default();
            let is_use = statement.trim().ends_with("use");
            let end = match is_use {
                true => code[at..].find(';').map_or(code.len(), |end| at + end),
                false => {
                    let tail = |rest: char| !is_word(rest) && rest != ':';
                    code[at..].find(tail).map_or(code.len(), |end| at + end)
                }
            };
            expand_use_tree(&[], &code[at..end], &mut paths);
        }
    }
    paths
}

/// Returns which modules each module imports.
fn imports(modules: &BTreeMap<Module, String>) -> BTreeMap<Module, BTreeSet<Module>> {
    let resolve = |own: &Module, path: &Module| {
        let supers = path.iter().take_while(|name| *name == "super").count();
        let (base, rest) = match path[0].as_str() {
            "crate" => (&[][..], &path[1..]),
            "self" => (&own[..], &path[1..]),
            _ => (&own[..own.len().saturating_sub(supers)], &path[supers..]),
        };
        let whole: Module = base.iter().chain(rest).cloned().collect();
        (0..=whole.len()).rev().map(|len| whole[..len].to_vec()).find(|it| modules.contains_key(it))
    };
    let of = |own: &Module, code: &str| {
        let found = local_paths(code).into_iter().filter_map(|path| resolve(own, &path));
        found.filter(|other| other != own).collect()
    };
    modules.iter().map(|(own, code)| (own.clone(), of(own, code))).collect()
}

/// Returns the modules that a module imports, directly or by others.
fn reachable(graph: &BTreeMap<Module, BTreeSet<Module>>, from: &Module) -> BTreeSet<Module> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from.clone()]);
    while let Some(module) = open.pop() {
        for next in graph.get(&module).into_iter().flatten() {
            if found.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    found
}

/// Returns the largest set of modules of which each imports all others, directly or by others.
fn largest_cycle(graph: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Module> {
    let reachable: BTreeMap<_, _> =
        graph.keys().map(|module| (module, reachable(graph, module))).collect();
    let cycle = |module: &Module| -> BTreeSet<Module> {
        let back = |other: &&Module| reachable.get(other).is_some_and(|it| it.contains(module));
        reachable[module].iter().filter(back).cloned().collect()
    };
    graph.keys().map(cycle).max_by_key(BTreeSet::len).unwrap_or_default()
}

/// Returns the groups of modules that the head of `lib.rs` lists, the lowest first.
fn listed_order(source: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(source.join("lib.rs")).unwrap();
    let list = text.lines().skip_while(|line| !line.starts_with("//! Modules, the lowest first"));
    let items = list.skip(2).filter(|line| line.starts_with("//! * "));
    let names =
        |line: &str| line.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    items.map(names).collect()
}

#[test]
fn crates_depend_only_on_crates_below_them() {
    let crates = crates();
    assert_eq!(crates.len(), fs::read_dir(root().join("crates")).unwrap().count(), "{crates:?}");
    for (level, name) in crates.iter().enumerate() {
        let manifest = root().join("crates").join(name).join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).unwrap();
        let (_, dependencies) = manifest.split_once("[dependencies]\n").unwrap();
        let dependencies = dependencies.split("\n[").next().unwrap();
        for line in dependencies.lines().filter_map(|line| line.strip_prefix("charpipe-")) {
            let dependency = line.split(['.', ' ']).next().unwrap();
            let below = crates[..level].iter().any(|other| other == dependency);
            assert!(below, "charpipe-{name} depends on charpipe-{dependency}");
        }
    }
    let design = fs::read_to_string(root().join("docs/design.md")).unwrap();
    let shown = |name: &String| design.find(&format!("| `{name}` |"));
    let offsets: Vec<_> = crates.iter().map(shown).collect();
    assert!(offsets.iter().all(Option::is_some), "docs/design.md lists {crates:?}: {offsets:?}");
    assert!(offsets.is_sorted_by(|one, other| one > other), "the highest layer first: {offsets:?}");
}

#[test]
fn cycles_of_imports_are_small() {
    let sources = crates().into_iter().map(|name| root().join("crates").join(name).join("src"));
    for source in sources.chain([root().join("src")]) {
        let cycle = largest_cycle(&imports(&modules(&source)));
        let names: Vec<_> = cycle.iter().map(|module| module.join("::")).collect();
        assert!(cycle.len() <= MAX_CYCLE, "{}: {names:?} import each other", source.display());
    }
}

#[test]
fn modules_import_only_modules_below_them() {
    for name in crates() {
        let source = root().join("crates").join(&name).join("src");
        let order = listed_order(&source);
        let level = |module: &Module| {
            let top = module.first()?;
            order.iter().position(|group| group.contains(top))
        };
        for (module, imported) in imports(&modules(&source)) {
            if module.is_empty() {
                continue;
            }
            let own = level(&module);
            assert!(own.is_some(), "lib.rs of {name} does not list {module:?}");
            // The root of a crate re-exports from all of it.
            for other in imported.iter().filter(|other| !other.is_empty()) {
                assert!(
                    level(other) <= own,
                    "{name}: {module:?} imports {other:?}, which is above it"
                );
            }
        }
    }
}

#[test]
fn import_graph_sees_every_kind_of_import() {
    let code = "use crate::a::{self, b::C, d as e};\nfn f() { crate::g::h(); super::i::J::new() }\n\
                pub(super) use self::k::*;\nuse super::{l, m};";
    let paths: BTreeSet<String> =
        local_paths(code).into_iter().map(|path| path.join("::")).collect();
    let expected = [
        "crate::a::self",
        "crate::a::b::C",
        "crate::a::d",
        "crate::g::h",
        "super::i::J::new",
        "self::k::*",
        "super::l",
        "super::m",
    ];
    assert_eq!(paths, expected.map(str::to_owned).into());
    let graph = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")];
    let graph = graph.map(|(from, to)| (vec![from.to_owned()], [vec![to.to_owned()]].into()));
    assert_eq!(largest_cycle(&graph.into()).len(), 3);
}

#[test]
fn crates_say_first_that_their_interface_is_not_stable() {
    for name in crates() {
        let library = fs::read_to_string(root().join("crates").join(&name).join("src/lib.rs"));
        let first_line = library.unwrap().lines().next().unwrap_or_default().to_owned();
        assert!(first_line.ends_with("the interface of this crate is not stable."), "{name}");
    }
}

#[test]
fn the_platform_layer_does_not_import_the_files_above_it() {
    let files = source_files(&root().join("src/cli/sys"));
    let imports = |path: &PathBuf| fs::read_to_string(path).unwrap().contains("cli::fs");
    let importing: Vec<_> = files.iter().filter(|path| imports(path)).collect();
    assert!(importing.is_empty(), "{importing:?}");
}

#[test]
fn the_public_interface_has_few_types() {
    let library = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let public = library.split("pub mod internals").next().unwrap();
    let code: Vec<&str> = public.lines().filter(|line| !line.trim().starts_with("//")).collect();
    let mut paths = Vec::new();
    for statement in code.join("\n").split("pub use ").skip(1) {
        expand_use_tree(&[], statement.split(';').next().unwrap(), &mut paths);
    }
    let is_type = |name: &str| {
        name.starts_with(char::is_uppercase) && name.contains(|letter: char| letter.is_lowercase())
    };
    let names: BTreeSet<&str> = paths.iter().map(|path| path.last().unwrap().as_str()).collect();
    let types: Vec<_> = names.iter().filter(|name| is_type(name)).collect();
    assert!(!types.is_empty() && types.len() <= MAX_PUBLIC_TYPES, "{}: {types:?}", types.len());
    // A module that is public as a whole has functions and constants only.
    let module = fs::read_to_string(root().join("crates/mail/src/rfc2047.rs")).unwrap();
    let declares = |line: &str| {
        ["struct ", "enum ", "trait ", "type "]
            .iter()
            .any(|it| line.starts_with(&format!("pub {it}")))
    };
    assert!(!module.lines().any(declares), "rfc2047 has public types");
}
