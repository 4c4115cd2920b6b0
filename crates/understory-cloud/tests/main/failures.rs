//! What goes wrong gives one sentence and leaves nothing behind.

use crate::common::{options, path_of, poses, records};
use std::fs;
use std::path::Path;
use understory_cloud::{CloudError, OutputFormat, RecordSink, Records, SinkOptions, open_sink};

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
}

fn open(path: &Path, format: OutputFormat) -> Box<dyn RecordSink> {
    open_sink(path, format, &options()).unwrap()
}

fn refused(path: &Path, format: OutputFormat) -> String {
    match open_sink(path, format, &SinkOptions::default()) {
        Ok(_) => panic!("{} was accepted", path.display()),
        Err(error) => one_sentence(&error),
    }
}

fn one_sentence(error: &CloudError) -> String {
    let text = error.to_string();
    assert!(!text.contains('\n') && !text.contains(". ") && text.len() < 400, "{text}");
    text
}

#[test]
fn a_dropped_sink_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(300, [0.0; 3]);
    for format in OutputFormat::ALL {
        let mut sink = open(&path_of(dir.path(), "dropped", format), format);
        poses(&records).iter().for_each(|pose| sink.scan_pose(pose).unwrap());
        sink.write(&records).unwrap();
        assert_eq!(names(dir.path()).len(), 1, "{format}");
        assert!(names(dir.path())[0].ends_with(".partial"));
        drop(sink);
        assert!(names(dir.path()).is_empty(), "{format}");
    }
}

#[test]
fn targets_that_cannot_be_are_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("folder.las")).unwrap();
    let text = refused(&dir.path().join("folder.las"), OutputFormat::Las);
    assert!(text.contains("a folder of that name exists; choose another name"), "{text}");
    let text = refused(&dir.path().join("no/such.ply"), OutputFormat::Ply);
    assert!(text.contains("does not exist; create it first"), "{text}");
    fs::write(dir.path().join("file"), "").unwrap();
    let text = refused(&dir.path().join("file"), OutputFormat::Kitti);
    assert!(text.contains("a file of that name exists"), "{text}");
    let text = OutputFormat::from_path(Path::new("points.xyz")).unwrap_err();
    assert!(one_sentence(&text).contains("points.xyz: end its name in one of .las"), "{text}");
    let text = "obj".parse::<OutputFormat>().unwrap_err();
    assert!(one_sentence(&text).contains("choose one of las, laz"), "{text}");
    // Not even root may write here.
    if Path::new("/proc/self").exists() {
        let text = refused(Path::new("/proc/cloud.laz"), OutputFormat::Laz);
        assert!(text.starts_with("cannot write /proc/cloud.laz: "), "{text}");
        assert!(!text.contains(".partial"), "{text}");
    }
}

#[test]
fn numbers_that_do_not_fit_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let fails = |records: &Records| {
        let mut sink = open(&dir.path().join("a.las"), OutputFormat::Las);
        one_sentence(&sink.write(records).unwrap_err())
    };
    let mut far = records(20, [0.0; 3]);
    far.world_xyz_m[9][1] = 300_000.0;
    let text = fails(&far);
    assert!(text.contains("y = 300000 m of pulse 8 lies outside"), "{text}");
    let mut nan = records(20, [0.0; 3]);
    nan.world_xyz_m[0][2] = f64::NAN;
    assert!(fails(&nan).contains("z = NaN m of pulse 0"), "{}", fails(&nan));
    let mut many = records(20, [0.0; 3]);
    many.return_number[0] = 16;
    assert!(fails(&many).contains("counts to 15; write PLY"), "{}", fails(&many));
    let mut uneven = records(20, [0.0; 3]);
    uneven.label.pop();
    for format in OutputFormat::ALL {
        let mut sink = open(&path_of(dir.path(), "b", format), format);
        let text = one_sentence(&sink.write(&uneven).unwrap_err());
        assert!(text.contains("label has"), "{text}");
    }
    let options = SinkOptions { scale_m: 0.0, ..SinkOptions::default() };
    let Err(error) = open_sink(&dir.path().join("c.las"), OutputFormat::Las, &options) else {
        panic!()
    };
    assert!(one_sentence(&error).contains("not a positive number"), "{error}");
    assert!(names(dir.path()).is_empty());
}

#[test]
fn scans_need_poses_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(250, [0.0; 3]);
    let poses = poses(&records);
    let mut sink = open(&dir.path().join("a"), OutputFormat::Kitti);
    sink.scan_pose(&poses[0]).unwrap();
    let text = one_sentence(&sink.write(&records).unwrap_err());
    assert!(text.contains("scan 1 of sensor 0 has no pose"), "{text}");
    let text = one_sentence(&sink.scan_pose(&poses[2]).unwrap_err());
    assert!(text.contains("scan 2 of sensor 0 came after scan 0"), "{text}");
}

/// A disk that takes no more: the process may write no file beyond 128 KB. The test runs itself
/// again under that limit, because a limit holds for a whole process.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_gives_one_sentence_and_leaves_nothing() {
    const FOLDER: &str = "UNDERSTORY_TEST_SMALL_DISK";
    if let Ok(folder) = std::env::var(FOLDER) {
        let records = records(60_000, [0.0; 3]);
        for format in OutputFormat::ALL {
            let path = path_of(Path::new(&folder), "full", format);
            let mut sink = open(&path, format);
            // One long scan, so that KITTI's files reach the limit too.
            let mut records = records.clone();
            records.scan.fill(0);
            sink.scan_pose(&poses(&records)[0]).unwrap();
            // Time goes on: packets leave out what comes after later rows.
            let written = (0..3).try_for_each(|_| {
                sink.write(&records)?;
                records.time_s.iter_mut().for_each(|time_s| *time_s += 0.1);
                Ok(())
            });
            let failed = written.and_then(|()| sink.finish().map(|_| ()));
            let error = failed.expect_err(format.name());
            let text = one_sentence(&error);
            assert!(text.starts_with(&format!("cannot write {}: ", path.display())), "{text}");
            assert!(text.contains("too large") && text.contains("; choose a disk"), "{text}");
            assert!(names(Path::new(&folder)).is_empty(), "{format}");
        }
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let limited = "trap '' XFSZ; ulimit -f 128; exec \"$0\" \"$@\"";
    let output = std::process::Command::new("bash")
        .args(["-c", limited])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "failures::a_full_disk_gives_one_sentence_and_leaves_nothing"])
        .env(FOLDER, dir.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}
