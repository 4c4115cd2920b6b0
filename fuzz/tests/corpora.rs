//! All inputs of the corpora, the seeds, and a few changes of each: no reader panics.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

use understory_fuzz::mutate::{Random, change_bytes};
use understory_fuzz::{Target, clouds, read_corpus, servers, target, worlds};

/// Changes of each seed.
const CHANGES: u64 = 20;

fn read_all(targets: &[Target]) {
    for target in targets {
        let mut read = (target.reader)();
        let seeds = (target.seeds)();
        assert!(!seeds.is_empty(), "{} has no seeds", target.name);
        for input in seeds.iter().chain(&read_corpus(target.name).unwrap()) {
            read(input);
        }
        for (number, seed) in seeds.iter().enumerate().take(8) {
            for change in 0..CHANGES {
                let mut random = Random::new(number as u64 * CHANGES + change);
                let mut input = seed.clone();
                if change % 2 == 0 {
                    change_bytes(&mut input, &mut random);
                }
                let structured = target.mutation.apply(&input, &mut random, change % 2 == 1);
                read(&structured.unwrap_or(input));
            }
        }
    }
}

/// What the fuzzer has found, each as TARGET.WHAT: it stays mended.
#[test]
fn finds() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("finds");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let target = target(name.split('.').next().unwrap()).expect(&name);
        (target.reader)()(&std::fs::read(&path).unwrap());
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn recordings_packets_and_poses() {
    read_all(&clouds::TARGETS);
}

#[test]
fn scenarios_packs_sites_and_meshes() {
    read_all(&worlds::TARGETS);
}

#[test]
fn servers_answer() {
    read_all(&servers::TARGETS);
}
