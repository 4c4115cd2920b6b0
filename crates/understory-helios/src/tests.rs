//! Small surveys of our own, and files that are wrong.

use std::fs;
use std::path::Path;

use crate::{HeliosError, Imported, import};

const TRIPOD: &str = r#"<platform id="tripod" type="static"><scannerMount x="0" y="0" z="1.5"/></platform>
<platform id="plane" type="linearpath"><scannerMount z="0.7"><rot axis="x" angle_deg="-90"/><rot axis="z" angle_deg="90"/></scannerMount></platform>
<platform id="car" type="groundvehicle"><scannerMount z="2.0"/></platform>"#;

const SCANNERS: &str = r#"<scanner id="tls" name="TLS" optics="rotating" pulseFreqs_Hz="100000" accuracy_m="0.005"
  beamDivergence_rad="0.0003" pulseLength_ns="5" rangeMin_m="1.5" scanAngleMax_deg="120"
  scanAngleEffectiveMax_deg="50" headRotatePerSecMax_deg="60"><beamOrigin x="0" y="0" z="0.2"/></scanner>
<scanner id="als" optics="oscillating" pulseFreqs_Hz="100000" scanAngleMax_deg="37.5" scanProduct="1000" maxNOR="4" rangeMax_m="1700"/>
<scanner id="puck" optics="rotating" pulseFreqs_Hz="20000" scanAngleMax_deg="1" headRotatePerSecMax_deg="7200" maxNOR="1">
<channels><channel id="0"><beamOrigin x="0" y="0" z="0"><rot axis="x" angle_deg="-15"/></beamOrigin></channel>
<channel id="1"><beamOrigin x="0" y="0" z="0"><rot axis="x" angle_deg="7"/></beamOrigin></channel></channels></scanner>
<scanner id="cone" optics="conic" pulseFreqs_Hz="100000" scanAngleMax_deg="20" scanFreqMax_Hz="80"/>
<scanner id="prism" optics="risley" pulseFreqs_Hz="40000" rotorFreq1_Hz="10" rotorFreq2_Hz="-50" angle1_deg="-27" angle2_deg="29" refrIndex1="1.51" refrIndex2="1.51">
<channels><channel id="0"><incidentBeam x="-0.1" y="0.99498743710662" z="0"/></channel><channel id="1"><incidentBeam x="0.1" y="0.99498743710662" z="0"/></channel></channels></scanner>"#;

const GROUND: &str = r#"<part><filter type="objloader"><param type="string" key="filepath" value="ground.obj"/></filter>
<filter type="scale"><param type="double" key="scale" value="50"/></filter></part>"#;

/// A folder with a survey and all that it names.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(survey: &str, scene: &str) -> Folder {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
        write("p.xml", format!("<document>{TRIPOD}</document>"));
        write("s.xml", format!("<document>{SCANNERS}</document>"));
        write("w.xml", format!("<document><scene id=\"w\">{scene}</scene></document>"));
        write("survey.xml", survey.to_owned());
        write("ground.obj", "mtllib ground.mtl\nv 1 -1 0\nv -1 -1 0\nv 1 1 0\nv -1 1 0\nusemtl sand\nf 2 1 4\nf 1 3 4\n".into());
        write(
            "ground.mtl",
            "newmtl sand\nKd 0.5 0.4 0.3\nhelios_reflectance 0.3\nhelios_isGround true\n".into(),
        );
        Folder(folder)
    }

    fn import(&self) -> Result<Imported, HeliosError> {
        import(&self.0.path().join("survey.xml"), &[], &self.0.path().join("out"))
    }
}

fn survey(platform: &str, scanner: &str, legs: &str) -> String {
    format!(
        "<document><scannerSettings id=\"t\" active=\"true\" pulseFreq_hz=\"100000\" scanFreq_hz=\"100\"/>\
         <survey name=\"a b\" seed=\"7\" scene=\"w.xml#w\" platform=\"p.xml#{platform}\" scanner=\"s.xml#{scanner}\">\
         {legs}</survey></document>"
    )
}

fn toml(imported: &Imported, name: &str) -> toml::Table {
    let file = imported.files.iter().find(|file| file.name == name);
    let names: Vec<&str> = imported.files.iter().map(|file| file.name.as_str()).collect();
    file.unwrap_or_else(|| panic!("{name} is not among {names:?}")).text.parse().unwrap()
}

fn numbers(value: &toml::Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_float().unwrap()).collect()
}

#[test]
fn a_tripod_scans_from_place_to_place() {
    let legs = r#"<leg><platformSettings x="1" y="2" onGround="true"/>
        <scannerSettings template="t" headRotatePerSec_deg="10" headRotateStart_deg="100" headRotateStop_deg="225" verticalAngleMin_deg="-40" verticalAngleMax_deg="60"/></leg>
        <leg><platformSettings x="5" y="2" onGround="true"/>
        <scannerSettings template="t" headRotatePerSec_deg="10" headRotateStart_deg="-45" headRotateStop_deg="45" verticalAngleMin_deg="-40" verticalAngleMax_deg="60"/></leg>"#;
    let imported = Folder::new(&survey("tripod", "tls", legs), GROUND).import().unwrap();
    assert_eq!(imported.scenarios, 1);
    let scenario = toml(&imported, "a-b.toml");
    assert_eq!(scenario["seed"].as_integer(), Some(7));
    // The second scan begins when the head has turned once: 36 s, and lasts 90°/(10°/s).
    assert_eq!(scenario["duration_s"].as_float(), Some(45.0));
    let waypoints = scenario["platform"]["waypoints"].as_array().unwrap();
    let times: Vec<f64> = waypoints.iter().map(|w| w["time_s"].as_float().unwrap()).collect();
    assert_eq!(times, [0.0, 12.5, 36.0, 45.0]);
    let idle: Vec<bool> = waypoints.iter().map(|w| w.get("active").is_some()).collect();
    assert_eq!(idle, [false, false, true, false]);
    // HELIOS++ looks along y at 0°, so a head at 100° looks along 190° from x.
    assert_eq!(numbers(&waypoints[0]["rotation_deg"]), [0.0, 0.0, -170.0]);
    assert_eq!(numbers(&waypoints[2]["rotation_deg"]), [0.0, 0.0, 45.0]);
    assert_eq!(scenario["platform"]["on_ground"].as_bool(), Some(true));
    let sensor = &scenario["sensor"][0];
    assert_eq!(numbers(&sensor["position_m"]), [0.0, 0.0, 1.7]);
    assert!(sensor.get("rotation_deg").is_none());
    let object = &scenario["world"]["object"][0];
    assert_eq!(
        (object["label"].as_str(), object["scale"].as_float()),
        (Some("terrain"), Some(50.0))
    );
    assert_eq!(scenario["world"]["material"][0]["reflectance"].as_float(), Some(0.3));
    let mirror = &toml(&imported, "tls.toml")["scanning_mirror"];
    assert_eq!(mirror["sweep_deg"].as_float(), Some(240.0));
    assert_eq!(
        (mirror["angle_min_deg"].as_float(), mirror["angle_max_deg"].as_float()),
        (Some(-40.0), Some(60.0))
    );
    assert_eq!(mirror["head_direction"].as_str(), Some("counterclockwise"));
}

#[test]
fn resolutions_become_frequencies_and_other_settings_other_runs() {
    let leg = |settings: &str| {
        format!(
            "<leg><platformSettings x=\"0\" y=\"0\"/><scannerSettings template=\"t\" headRotateStart_deg=\"0\" headRotateStop_deg=\"90\" {settings}/></leg>"
        )
    };
    let legs = leg("verticalResolution_deg=\"0.2\" horizontalResolution_deg=\"0.1\"")
        + &leg("headRotatePerSec_deg=\"16.8\"");
    let imported = Folder::new(&survey("tripod", "tls", &legs), GROUND).import().unwrap();
    assert_eq!(imported.scenarios, 2);
    // HELIOS++: scanFreq = pulseFreq·resolution/sweep, head = resolution·scanFreq.
    let mirror = &toml(&imported, "tls.toml")["scanning_mirror"];
    let lines = mirror["lines_per_s"].as_float().unwrap();
    assert!((lines - 1e5 * 0.2 / 240.0).abs() < 1e-6, "{lines}");
    assert!((mirror["head_deg_per_s"].as_float().unwrap() - 0.1 * lines).abs() < 1e-6);
    assert_eq!(
        toml(&imported, "tls-2.toml")["scanning_mirror"]["head_deg_per_s"].as_float(),
        Some(16.8)
    );
    assert_eq!(toml(&imported, "a-b-2.toml")["sensor"][0]["file"].as_str(), Some("tls-2.toml"));
}

#[test]
fn an_aircraft_looks_down_and_along_its_way() {
    let legs = r#"<leg><platformSettings x="0" y="0" z="500" movePerSec_m="50"/><scannerSettings template="t" scanAngle_deg="20"/></leg>
        <leg><platformSettings x="0" y="400" z="500" movePerSec_m="50"/><scannerSettings template="t" active="false"/></leg>
        <leg><platformSettings x="100" y="400" z="500" movePerSec_m="50"/><scannerSettings template="t" scanAngle_deg="20"/></leg>
        <leg><platformSettings x="100" y="0" z="500"/><scannerSettings active="false"/></leg>"#;
    let imported = Folder::new(&survey("plane", "als", legs), GROUND).import().unwrap();
    let scenario = toml(&imported, "a-b.toml");
    let sensor = &scenario["sensor"][0];
    assert_eq!(numbers(&sensor["position_m"]), [0.0, 0.0, 0.7]);
    assert!(sensor.get("rotation_deg").is_none(), "straight down needs no turn");
    let waypoints = scenario["platform"]["waypoints"].as_array().unwrap();
    let shown: Vec<(f64, f64, bool)> = waypoints
        .iter()
        .map(|w| {
            (
                w["time_s"].as_float().unwrap(),
                numbers(&w["rotation_deg"])[2],
                w.get("active").is_none(),
            )
        })
        .collect();
    // 8 s north, 2 s of turns on either side of 2 s east, 8 s south.
    assert_eq!(
        shown,
        [
            (0.0, 90.0, true),
            (8.0, 90.0, true),
            (9.0, 0.0, false),
            (11.0, 0.0, false),
            (12.0, -90.0, false),
            (20.0, -90.0, true)
        ]
    );
    let file = toml(&imported, "als.toml");
    let mirror = &file["scanning_mirror"];
    // A mirror that swings 100 times a second draws 200 lines; its product allows 1000/100 = 10°.
    assert_eq!(
        (mirror["motion"].as_str(), mirror["lines_per_s"].as_float()),
        (Some("zigzag"), Some(200.0))
    );
    assert_eq!(mirror["angle_max_deg"].as_float(), Some(10.0));
    assert_eq!(mirror["plane"].as_str(), Some("across-track"));
    assert!(imported.not_taken_over.iter().any(|remark| remark.contains("scan product")));
    assert_eq!(file["detector"]["range_max_m"].as_float(), Some(1700.0));
    assert_eq!(file["detector"]["max_returns"].as_integer(), Some(4));
}

#[test]
fn a_puck_on_a_car_spins() {
    let legs = r#"<leg><platformSettings x="0" y="0" movePerSec_m="5"/><scannerSettings active="true" pulseFreq_hz="20000" headRotatePerSec_deg="-3600"/></leg>
        <leg><platformSettings x="10" y="0"/><scannerSettings active="false"/></leg>"#;
    let imported = Folder::new(&survey("car", "puck", legs), GROUND).import().unwrap();
    let file = toml(&imported, "puck.toml");
    assert_eq!(file["spinning"]["direction"].as_str(), Some("clockwise"));
    assert_eq!(file["spinning"]["rotation_hz"].as_float(), Some(10.0));
    assert_eq!(file["spinning"]["cycle_us"].as_float(), Some(50.0));
    assert_eq!(numbers(&file["channels"]["elevation_deg"]), [-15.0, 7.0]);
    assert_eq!(file["detector"]["return_mode"].as_str(), Some("first"));
    assert!(imported.not_taken_over.iter().any(|remark| remark.contains("groundvehicle")));
}

#[test]
fn cones_and_prisms_are_turning_wedges() {
    let legs = r#"<leg maxDuration_s="0.5"><platformSettings x="0" y="0"/><scannerSettings active="true" pulseFreq_hz="40000"/></leg>"#;
    let imported = Folder::new(&survey("tripod", "prism", legs), GROUND).import().unwrap();
    let risley = &toml(&imported, "prism.toml")["risley"];
    // Two lasers of 40 kHz each, to the left (x below 0) and to the right.
    assert_eq!(risley["pulse_rate_khz"].as_float(), Some(80.0));
    let azimuth = numbers(&risley["laser_azimuth_deg"]);
    let off = 0.1f64.asin().to_degrees();
    assert!((azimuth[0] - off).abs() < 1e-5 && (azimuth[1] + off).abs() < 1e-5, "{azimuth:?}");
    assert_eq!(risley["wedge"][0]["inclined_face"].as_str(), Some("exit"));
    assert_eq!(risley["wedge"][1]["inclined_face"].as_str(), Some("entrance"));
    let legs = r#"<leg><platformSettings x="0" y="0" movePerSec_m="30" z="100"/><scannerSettings template="t"/></leg>
        <leg><platformSettings x="100" y="0" z="100"/><scannerSettings active="false"/></leg>"#;
    let imported = Folder::new(&survey("plane", "cone", legs), GROUND).import().unwrap();
    let risley = &toml(&imported, "cone.toml")["risley"];
    assert_eq!(risley["wedge"][0]["angle_deg"].as_float(), Some(20.0));
    assert_eq!(risley["wedge"][0]["rotation_hz"].as_float(), Some(80.0));
}

#[test]
fn cells_become_leaves_or_boxes() {
    let scene = |mode: &str| {
        format!(
            "{GROUND}<part><filter type=\"detailedvoxels\"><param type=\"string\" key=\"filepath\" value=\"crown.vox\"/>{mode}</filter>\
             <filter type=\"translate\"><param type=\"vec3\" key=\"offset\" value=\"1;2;3\"/></filter></part>"
        )
    };
    let legs = "<leg maxDuration_s=\"1\"><platformSettings x=\"0\" y=\"0\"/><scannerSettings template=\"t\"/></leg>";
    let vox = "VOXEL SPACE\n#min_corner: 0 0 0\n#max_corner: 1 1 1\n#split: 2 2 2\n#res: 0.5\ni j k PadBVTotal\n0 0 0 2.0\n1 1 1 2.0\n";
    let folder = Folder::new(&survey("tripod", "tls", legs), &scene(""));
    fs::write(folder.0.path().join("crown.vox"), vox).unwrap();
    let imported = folder.import().unwrap();
    let plant = &toml(&imported, "a-b.toml")["world"]["plant"][0];
    assert_eq!(plant["kind"].as_str(), Some("leaf-volume"));
    // Leaf area index of a cell: 2 m²/m³ · 0.5 m.
    assert_eq!(plant["override"]["leaf_area_index"].as_float(), Some(1.0));
    let csv = &imported.files.iter().find(|file| file.name == "crown-1.csv").unwrap().text;
    assert_eq!(
        csv.lines().collect::<Vec<_>>(),
        ["x_m,y_m,z_m", "1.2500,2.2500,3.0000", "1.7500,2.7500,3.5000"]
    );
    let fixed = "<param type=\"string\" key=\"intersectionMode\" value=\"fixed\"/>";
    let folder = Folder::new(&survey("tripod", "tls", legs), &scene(fixed));
    fs::write(folder.0.path().join("crown.vox"), vox).unwrap();
    let object = toml(&folder.import().unwrap(), "a-b.toml")["world"]["object"][0].clone();
    assert_eq!(
        (object["shape"].as_str(), object["instances_file"].as_str()),
        (Some("box"), Some("crown.csv"))
    );
}

#[test]
fn a_trajectory_is_cut_and_turned() {
    let legs = r#"<leg><platformSettings trajectory="t.trj" tIndex="0" xIndex="4" yIndex="5" zIndex="6" rollIndex="1" pitchIndex="2" yawIndex="3" toRadians="true" tStart="1" tEnd="2"/><scannerSettings template="t" scanAngle_deg="5"/></leg>"#;
    let text = survey("x", "als", legs)
        .replace("platform=\"p.xml#x\"", "platform=\"interpolated\" basePlatform=\"p.xml#plane\"");
    let folder = Folder::new(&text, GROUND);
    // Yaw is clockwise from north: 90° is east, along x, where Understory looks at 0°.
    fs::write(
        folder.0.path().join("t.trj"),
        "#HEADER\n0,0,0,90,0,0,9\n1,0,0,90,1,0,9\n3,0,0,90,3,0,9\n",
    )
    .unwrap();
    let imported = folder.import().unwrap();
    let scenario = toml(&imported, "a-b.toml");
    assert_eq!(scenario["duration_s"].as_float(), Some(1.0));
    assert_eq!(scenario["platform"]["start_at_s"].as_float(), Some(1.0));
    let tum = &imported.files.iter().find(|file| file.name == "t.tum").unwrap().text;
    let row: Vec<f64> =
        tum.lines().next().unwrap().split(' ').map(|n| n.parse().unwrap()).collect();
    assert!((row[7].abs() - 1.0).abs() < 1e-9, "no turn: {row:?}");
}

/// What is wrong with a survey in one sentence.
fn refusal(survey: &str, scene: &str) -> String {
    Folder::new(survey, scene).import().map(|_| ()).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let leg = "<leg maxDuration_s=\"1\"><platformSettings x=\"0\" y=\"0\"/><scannerSettings template=\"t\"/></leg>";
    let good = survey("tripod", "tls", leg);
    let path = |name: &str| {
        format!(
            "<part><filter type=\"objloader\"><param type=\"string\" key=\"filepath\" value=\"{name}\"/></filter></part>"
        )
    };
    for (survey, scene, words) in [
        ("<a><b>".to_owned(), GROUND.to_owned(), "this is not XML"),
        (
            good.replace("<document>", "<!DOCTYPE d [<!ENTITY a \"b\">]><document>"),
            GROUND.into(),
            "DTD",
        ),
        ("<document/>".to_owned(), GROUND.into(), "there is no <survey>"),
        (good.replace("s.xml#tls", "s.xml#tsl"), GROUND.into(), "use one of \"tls\""),
        (good.replace("p.xml#tripod", "p.xml#tripot"), GROUND.into(), "did you mean \"tripod\"?"),
        (good.replace("w.xml", "nowhere.xml"), GROUND.into(), "nowhere.xml is not in"),
        (good.replace("w.xml", "../w.xml"), GROUND.into(), "leads out of the folders"),
        (good.replace("w.xml", "/etc/passwd"), GROUND.into(), "leads out of the folders"),
        (
            good.replace("\"100000\"", "\"many\""),
            GROUND.into(),
            "pulseFreq_hz = \"many\" is no number",
        ),
        (good.replace("\"100000\"", "\"-1\""), GROUND.into(), "pulseFreq_hz is below 0"),
        (good.replace("\"100000\"", "\"nan\""), GROUND.into(), "is no number"),
        (good.replace("pulseFreq_hz=\"100000\"", ""), GROUND.into(), "how often the scanner fires"),
        (good.replace("maxDuration_s=\"1\"", ""), GROUND.into(), "no leg of this survey fires"),
        (
            good.replace("template=\"t\"", "template=\"u\""),
            GROUND.into(),
            "there is no <scannerSettings> \"u\"",
        ),
        (
            good.replace("active=\"true\"", "active=\"maybe\""),
            GROUND.into(),
            "neither true nor false",
        ),
        (good.clone(), String::new(), "nothing of this scene"),
        (good.clone(), path("missing.obj"), "missing.obj is not in"),
        (good.clone(), path("../../etc/passwd"), "leads out of the folders"),
        (good.clone(), GROUND.replace("\"50\"", "\"1e400\""), "is no number"),
        (survey("tripod", "tls", ""), GROUND.into(), "has no legs"),
    ] {
        let told = refusal(&survey, &scene);
        assert!(told.contains(words), "{words:?} is not in {told:?}");
        assert!(told.contains(';') && !told.contains('\n'), "{told}");
    }
}

#[test]
fn deep_and_large_xml_takes_bounded_memory() {
    let deep = "<a>".repeat(200_000) + &"</a>".repeat(200_000);
    assert!(refusal(&deep, GROUND).contains("there is no <survey>"));
    let wide = format!("<a>{}</a>", "<b/>".repeat(4_100_000));
    assert!(refusal(&wide, GROUND).contains("4 million nodes"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("survey.xml");
    let file = fs::File::create(&path).unwrap();
    file.set_len(crate::xml::BYTES_MAX + 1).unwrap();
    let told = import(&path, &[], Path::new("out")).unwrap_err().to_string();
    assert!(told.contains("64 MiB"), "{told}");
    let told = import(Path::new("a.yaml"), &[], Path::new("out")).unwrap_err().to_string();
    assert!(told.contains("YAML"), "{told}");
}

#[test]
fn links_do_not_lead_out() {
    let legs = "<leg maxDuration_s=\"1\"><platformSettings x=\"0\" y=\"0\"/><scannerSettings template=\"t\"/></leg>";
    let folder =
        Folder::new(&survey("tripod", "tls", legs), &GROUND.replace("ground.obj", "link.obj"));
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("secret.obj"), "v 0 0 0\n").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(other.path().join("secret.obj"), folder.0.path().join("link.obj"))
        .unwrap();
    #[cfg(unix)]
    assert!(folder.import().unwrap_err().to_string().contains("leads out of the folders"));
}
