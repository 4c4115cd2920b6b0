//! Recordings opened, learned from, scanned and compared.

use hyper::StatusCode;
use serde_json::json;

use crate::support::TestStudio;

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_is_opened_learned_scanned_and_compared() {
    let studio = TestStudio::start().await;
    let scan = studio.scan(json!({})).await;
    let id = scan["id"].as_u64().unwrap();
    let file = studio.get(&format!("/api/layers/{id}/export?format=npy")).await.ok();
    std::fs::write(studio.folder.path().join("recorded.npy"), &file.body).unwrap();
    std::fs::write(studio.folder.path().join("broken.laz"), b"no such thing").unwrap();
    let library = studio.get("/api/library").await.ok().json();
    let of = |name: &str| {
        let list = library["recordings"].as_array().unwrap();
        list.iter().find(|card| card["name"] == name).unwrap()["id"].clone()
    };
    let opened = studio.post("/api/recordings", json!({ "file": of("recorded.npy") })).await;
    let recorded = studio.wait(opened.ok().json()["id"].as_u64().unwrap()).await;
    assert_eq!(recorded["state"], "done", "{recorded}");
    for same in ["points", "returns", "rows", "pulses"] {
        assert_eq!(recorded[same], scan[same], "{same}");
    }
    assert_eq!(recorded["kind"], "recording");
    let recorded = recorded["id"].as_u64().unwrap();
    let known = studio.get(&format!("/api/layers/{recorded}/points/7/pulse")).await;
    assert_eq!(known.status, StatusCode::CONFLICT, "nobody knows more of recorded pulses");
    let laz = studio.get(&format!("/api/layers/{recorded}/export?format=laz")).await.ok();
    assert_eq!(&laz.body[..4], b"LASF");
    let broken = studio.post("/api/recordings", json!({ "file": of("broken.laz") })).await;
    let broken = studio.wait(broken.ok().json()["id"].as_u64().unwrap()).await;
    assert_eq!(broken["state"], "failed");
    assert!(broken["problem"]["sentence"].as_str().unwrap().contains("broken.laz"));
    // Learn from the recording and from the scan.
    for (layer, preset) in [(recorded, Some("vlp-16")), (id, None)] {
        let wanted = json!({ "layer": layer, "model": "voxel", "cell_m": 0.2, "preset": preset });
        let job = studio.post("/api/learn", wanted).await.ok().json();
        let job = studio.wait_for_job(job["id"].as_u64().unwrap()).await;
        assert_eq!(job["state"], "done", "{job}");
        let scenario = json!({ "scenario": job["scenario"] });
        let document = studio.post("/api/document/open", scenario).await.ok().json();
        assert_eq!(document["problems"], json!([]), "{}", document["text"]);
        let world = studio.get("/api/world").await.ok().json();
        assert!(world["sites"][0]["volumes"].as_u64().unwrap() > 100, "{}", world["sites"]);
        let materials = world["materials"].as_array().unwrap();
        assert!(materials.iter().any(|material| material["permeability"].is_number()));
        let geometry = studio.get("/api/world/geometry").await.ok().blocks().remove(0);
        assert!(geometry.u32("instance_mesh").len() > 100);
        let again = studio.scan(json!({})).await;
        assert_eq!(again["state"], "done", "{again}");
        let body = json!({ "real": recorded, "simulated": again["id"] });
        let compared = studio.post("/api/compare", body).await.ok().json();
        let figures = compared["figures"].as_array().unwrap();
        let f_score = figures.iter().find(|figure| figure["name"] == "F-score at 5 cm").unwrap();
        assert!(f_score["value"].as_f64().unwrap() > 0.5, "{f_score}");
    }
    let library = studio.get("/api/library").await.ok().json();
    let learned = library["scenarios"].as_array().unwrap().iter();
    assert_eq!(learned.filter(|card| card["source"] == "learned").count(), 2);
    for wrong in [
        json!({ "layer": 99 }),
        json!({ "layer": id, "model": "magic" }),
        json!({ "layer": id, "cell_m": -1.0 }),
    ] {
        assert!(studio.post("/api/learn", wrong).await.status.is_client_error());
    }
}
