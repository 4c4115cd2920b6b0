//! The library, and the scenario that is edited.

use hyper::{Method, StatusCode};
use serde_json::json;

use crate::support::{SMALL, TestStudio};

#[tokio::test(flavor = "multi_thread")]
async fn the_library_has_everything_to_choose_from() {
    let studio = TestStudio::start().await;
    let hello = studio.get("/api/hello").await.ok().json();
    assert_eq!(hello["program"], "understory");
    let library = studio.get("/api/library").await.ok().json();
    let names = |list: &str| -> Vec<String> {
        let list = library[list].as_array().unwrap();
        list.iter().map(|card| card["name"].as_str().unwrap().to_owned()).collect()
    };
    let built_in = understory::scenario::scenarios().len();
    assert_eq!(names("scenarios").len(), built_in + 1, "and the one of the folder");
    assert!(names("scenarios").contains(&"small.toml".to_owned()));
    assert!(names("sensors").contains(&"vlp-16".to_owned()));
    assert!(names("formats").contains(&"laz".to_owned()));
    assert!(names("columns").contains(&"range_error_m".to_owned()));
    for card in library["scenarios"].as_array().unwrap() {
        assert_eq!(card["problem"], json!(null), "{card}");
        let built_in = card["source"] == "built-in";
        assert_eq!(card["thumbnail"], json!(built_in), "{card}");
    }
    let picture = studio.get("/api/library/thumbnail/demo").await.ok();
    assert_eq!(&picture.body[1..4], b"PNG");
    let preset = studio.get("/api/library/sensor/vlp-16").await.ok();
    assert!(String::from_utf8_lossy(&preset.body).contains("[spinning]"));
    for schema in ["scenario", "sensor"] {
        let schema = studio.get(&format!("/api/schema/{schema}")).await.ok().json();
        assert!(schema["properties"].is_object());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn form_and_text_follow_each_other() {
    let studio = TestStudio::start().await;
    let document = studio.get("/api/document").await.ok().json();
    assert_eq!((&document["name"], &document["text"]), (&json!("small"), &json!(SMALL)));
    assert_eq!(document["value"]["world"]["object"][1]["name"], "crate");
    assert_eq!(document["summary"]["sensors"][0]["preset"], "vlp-16");
    let revision = document["revision"].clone();
    let edit = json!({ "revision": revision, "edits": [
        { "path": ["world", "object", 1, "position_m", 0], "value": 8 },
        { "path": ["duration_s"], "value": 0.2 },
    ]});
    let edited = studio.post("/api/document/edit", edit.clone()).await.ok().json();
    let expected = SMALL.replace("[6.0, 0.0, 1.0]", "[8.0, 0.0, 1.0]").replace("0.1\n", "0.2\n");
    assert_eq!(edited["text"], json!(expected), "comments and all else stay");
    assert_eq!(edited["summary"]["duration_s"], 0.2);
    let place = edited["places"]
        .as_array()
        .unwrap()
        .iter()
        .find(|place| place["path"] == json!(["world", "object", 1, "position_m"]));
    let line = place.unwrap()["line"].as_u64().unwrap() as usize;
    assert!(expected.lines().nth(line - 1).unwrap().starts_with("position_m = [8.0"));
    // The same edit again is of an old revision.
    let stale = studio.post("/api/document/edit", edit).await;
    assert_eq!(stale.status, StatusCode::CONFLICT, "{}", stale.sentence());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_good_scenario_stays_while_a_broken_one_is_edited() {
    let studio = TestStudio::start().await;
    let good = studio.get("/api/document").await.ok().json();
    let write = |revision: u64, text: String| {
        let body = json!({ "revision": revision, "text": text });
        studio.send(studio.request(Method::PUT, "/api/document", Some(body)))
    };
    let revision = good["revision"].as_u64().unwrap();
    let broken = write(revision, SMALL.replace("duration_s", "duraton_s")).await.ok().json();
    let problem = &broken["problems"][0];
    assert_eq!((&problem["line"], &problem["column"]), (&json!(3), &json!(1)), "{problem}");
    assert!(problem["sentence"].as_str().unwrap().contains("duration_s"), "{problem}");
    assert_eq!(broken["good_revision"], good["good_revision"]);
    // The world and scans are those of the last good one.
    let world = studio.get("/api/world").await.ok().json();
    assert_eq!(world["revision"], good["revision"]);
    assert_eq!(studio.scan(json!({})).await["state"], "done");
    // No TOML at all: the text is there, the structure is not.
    let no_toml = write(revision + 1, "version = \n".into()).await.ok().json();
    assert_eq!((&no_toml["value"], &no_toml["problems"][0]["line"]), (&json!(null), &json!(1)));
    let mended = write(revision + 2, SMALL.to_owned()).await.ok().json();
    assert_eq!((&mended["problems"], &mended["good_revision"]), (&json!([]), &mended["revision"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn built_in_scenarios_packs_and_files_are_opened_by_their_ids() {
    let studio = TestStudio::start().await;
    let body = json!({ "scenario": "first-scan" });
    let opened = studio.post("/api/document/open", body).await.ok().json();
    assert_eq!((&opened["name"], &opened["problems"]), (&json!("first-scan"), &json!([])));
    let pack = studio.get("/api/document/pack").await.ok();
    assert!(
        pack.headers["content-disposition"].to_str().unwrap().contains("first-scan.understory")
    );
    std::fs::write(studio.folder.path().join("packed.understory"), &pack.body).unwrap();
    let library = studio.get("/api/library").await.ok().json();
    let of = |name: &str| {
        let list = library["scenarios"].as_array().unwrap();
        list.iter().find(|card| card["name"] == name).unwrap()["id"].clone()
    };
    let packed = json!({ "scenario": of("packed.understory") });
    let packed = studio.post("/api/document/open", packed).await.ok().json();
    assert_eq!((&packed["name"], &packed["problems"]), (&json!("packed"), &json!([])));
    assert_eq!(studio.scan(json!({})).await["state"], "done");
    let missing = studio.post("/api/document/open", json!({ "scenario": "no-such" })).await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
}
