//! Formats that are one document, checked against the requirements of their readers.

use std::collections::HashSet;
use std::fs;

use roxmltree::{Document, Node};
use serde_json::Value;

use super::check;
use super::formats::{FOUND, print, print_clean, shown};
use crate::cli::command::create_directory;

/// Parses a report; each violation has the members that the documentation of GitLab requires.
fn violations(text: &str) -> Vec<Value> {
    let Value::Array(all) = serde_json::from_str(text).unwrap() else { panic!("{text}") };
    for violation in &all {
        for member in ["description", "check_name", "fingerprint", "severity"] {
            assert!(violation[member].is_string(), "{member}: {violation}");
        }
        let severity = violation["severity"].as_str().unwrap();
        assert!(["info", "minor", "major", "critical", "blocker"].contains(&severity));
        let path = violation["location"]["path"].as_str().unwrap();
        assert!(!path.starts_with("./"), "{path}");
        assert!(violation["location"]["lines"]["begin"].as_u64() >= Some(1));
    }
    all
}

#[test]
fn gitlab_gets_a_list_of_violations() {
    let all = violations(&print("gitlab"));
    for (violation, (path, rule, line, ..)) in all.iter().zip(FOUND) {
        assert_eq!(violation["location"]["path"], String::from_utf8_lossy(path).as_ref());
        assert_eq!(violation["location"]["lines"]["begin"], line);
        assert_eq!(violation["check_name"], format!("charpipe/{rule}"));
    }
    assert_eq!(all.len(), FOUND.len());
    assert_eq!(violations(&print_clean("gitlab")), Vec::<Value>::new());
}

#[test]
fn a_fingerprint_is_unique_and_outlives_changes_elsewhere() {
    let fingerprints = |content: &[u8]| -> Vec<String> {
        let directory = create_directory(&[("a", content), ("b", content)]);
        let words = ["--newline=lf", "--format=gitlab", "a", "./b"];
        let run = check().current_dir(&directory).args(words).assert().code(1);
        let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        let print = |violation: &Value| violation["fingerprint"].as_str().unwrap().to_owned();
        violations(&text).iter().map(print).collect()
    };
    let before = fingerprints(b"\xFF\xFF\r\n\xFF\r\n");
    assert_eq!(before.iter().collect::<HashSet<_>>().len(), 10);
    let after = fingerprints(b"more\ntext before\n\xFF, \xFF\r\nand between\n\xFF\r\n");
    assert_eq!(before, after);
}

/// Returns the run of a report with all that SARIF 2.1.0 requires (schema: `required`, and sections
/// 3.13, 3.14, 3.18, 3.19 and 3.27 of the standard).
fn sarif_run(text: &str) -> Value {
    let report: Value = serde_json::from_str(text).unwrap();
    assert_eq!(report["version"], "2.1.0");
    assert!(report["$schema"].as_str().unwrap().ends_with("/sarif-schema-2.1.0.json"));
    let runs = report["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1);
    let run = &runs[0];
    assert_eq!(run["tool"]["driver"]["name"], "charpipe");
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    assert!(run["invocations"][0]["executionSuccessful"].is_boolean());
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: HashSet<_> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), rules.len());
    for rule in rules {
        assert!(rule["shortDescription"]["text"].is_string(), "{rule}");
    }
    for result in run["results"].as_array().unwrap() {
        assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
        let rule = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[rule]["id"], result["ruleId"]);
        assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
    }
    run.clone()
}

/// Decodes the percent-encoding of a URI.
fn percent_decoded(uri: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = uri.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(&after[..2]).unwrap();
        bytes.push(u8::from_str_radix(digits, 16).unwrap());
        rest = &after[2..];
    }
    bytes
}

#[test]
fn sarif_has_a_result_for_each_finding() {
    let run = sarif_run(&print("sarif"));
    let results = run["results"].as_array().unwrap();
    for (result, (path, rule, line, column, _, offset, length)) in results.iter().zip(FOUND) {
        assert_eq!(result["ruleId"], rule);
        let position = &result["locations"][0]["physicalLocation"];
        let uri = position["artifactLocation"]["uri"].as_str().unwrap();
        assert_eq!(percent_decoded(uri), path);
        assert_eq!(position["artifactLocation"]["uriBaseId"], "%SRCROOT%");
        let region = &position["region"];
        assert_eq!((&region["startLine"], &region["startColumn"]), (&line.into(), &column.into()));
        assert_eq!(region["endColumn"], column + 1);
        assert_eq!(
            (&region["byteOffset"], &region["byteLength"]),
            (&offset.into(), &length.into())
        );
    }
    assert_eq!(results.len(), FOUND.len());
}

#[test]
fn sarif_reports_unreadable_files() {
    let run = sarif_run(&print("sarif"));
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notes = invocation["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0]["message"]["text"], "No such file or directory");
    let position = &notes[0]["locations"][0]["physicalLocation"];
    assert_eq!(position["artifactLocation"]["uri"], "nope");

    let clean = sarif_run(&print_clean("sarif"));
    assert_eq!(clean["results"], serde_json::json!([]));
    assert_eq!(clean["invocations"][0]["executionSuccessful"], true);
}

/// Returns the test, failure and error of each suite. The counts are right, and the elements and
/// attributes are those of the schemas of Jenkins (`junit-10.xsd`) and Windy Road (`JUnit.xsd`).
fn suites(document: &Document<'_>) -> Vec<(String, Option<String>, Option<String>)> {
    let root = document.root_element();
    assert!(root.has_tag_name("testsuites"));
    let elements = |node: Node<'_, '_>| -> Vec<_> {
        let children = document.get_node(node.id()).unwrap().children();
        children.filter(Node::is_element).map(|node| node.id()).collect()
    };
    let mut all = Vec::new();
    for suite in elements(root).into_iter().map(|id| document.get_node(id).unwrap()) {
        assert!(suite.has_tag_name("testsuite") && suite.has_attribute("name"));
        let tests = elements(suite);
        assert_eq!(suite.attribute("tests"), Some("1"));
        assert_eq!(tests.len(), 1);
        let test = document.get_node(tests[0]).unwrap();
        assert!(test.has_tag_name("testcase") && test.has_attribute("classname"));
        let about = |tag: &str| {
            let mut found = test.children().filter(|node| node.has_tag_name(tag));
            let node = found.next();
            assert!(found.next().is_none());
            node.map(|node| {
                assert!(node.has_attribute("type") && node.has_attribute("message"));
                node.text().unwrap_or(node.attribute("message").unwrap()).to_owned()
            })
        };
        let (failure, error) = (about("failure"), about("error"));
        let count = |element: &Option<String>| if element.is_some() { "1" } else { "0" };
        assert_eq!(suite.attribute("failures"), Some(count(&failure)));
        assert_eq!(suite.attribute("errors"), Some(count(&error)));
        all.push((test.attribute("name").unwrap().to_owned(), failure, error));
    }
    all
}

#[test]
fn junit_has_a_test_for_each_file() {
    let text = print("junit");
    let document = Document::parse(&text).unwrap();
    let all = suites(&document);
    assert_eq!(all[0], ("clean".to_owned(), None, None));
    let mut index = 0;
    for (name, failure, error) in &all[1..4] {
        assert_eq!(*error, None);
        for line in failure.as_ref().unwrap().trim().lines() {
            let (path, _, row, column, _, offset, _) = FOUND[index];
            assert_eq!(*name, shown(path));
            let head = format!("{name}:{row}:{column}: byte {offset}: ");
            assert!(line.starts_with(&head), "{line}");
            index += 1;
        }
    }
    assert_eq!(index, FOUND.len());
    let reason = "No such file or directory".to_owned();
    assert_eq!(all[4], ("nope".to_owned(), None, Some(reason)));
    assert_eq!(all.len(), 5);

    let clean = print_clean("junit");
    assert_eq!(suites(&Document::parse(&clean).unwrap()), [("clean".to_owned(), None, None)]);
}

#[test]
fn each_file_has_its_name_although_findings_are_alike() {
    let directory = create_directory(&[("xqa", b"\xFF"), ("xqb", b"\xFF")]);
    for format in ["text", "gcc", "json", "jsonl", "github", "gitlab", "sarif", "junit"] {
        let words = ["--format", format, "xqa", "xqb"];
        let run = check().current_dir(&directory).args(words).assert().code(1);
        let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        let counts = ["xqa", "xqb"].map(|name| text.matches(name).count());
        assert!(counts[0] == counts[1] && counts[0] > 0, "{text}");
    }
}

#[test]
fn sarif_reports_a_finding_that_is_not_shown() {
    let directory = create_directory(&[("a", b"\xFF\xFF")]);
    let words = ["--format=sarif", "--max-findings=1", "a"];
    let run = check().current_dir(&directory).args(words).assert().code(1);
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    let run = sarif_run(&text);
    assert_eq!(run["results"].as_array().unwrap().len(), 1);
    let notification = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(notification["level"], "warning");
    assert!(notification["message"]["text"].as_str().unwrap().contains("1 finding not shown"));
}

#[test]
fn documents_are_complete_without_any_input() {
    let directory = create_directory(&[]);
    fs::create_dir(directory.path().join("empty")).unwrap();
    for format in ["json", "gitlab", "sarif", "junit"] {
        let words = ["-r", "--format", format, "empty"];
        let run = check().current_dir(&directory).args(words).assert().success();
        let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        match format {
            "junit" => assert_eq!(suites(&Document::parse(&text).unwrap()), []),
            "sarif" => assert_eq!(sarif_run(&text)["results"], serde_json::json!([])),
            _ => assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}"),
        }
    }
}
