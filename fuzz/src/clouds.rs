//! Recordings of every format, packets, poses, metadata and blocks of rows.

use crate::mutate::{self, Mutation};
use crate::records::{ouster, records, written};
use crate::{Reader, Target, is_sentence, of_file};
use std::path::Path;
use understory_cloud::{
    BagCompression, OutputFormat, PoseFileOptions, ReadOptions, Recording, Records,
    SensorDescription, SinkOptions, VelodyneModel, decode_records, describe, encode_records,
    read_ouster_metadata, read_pose_file,
};

/// Declares a target of a format: its name, the name of its files, changes, seeds.
macro_rules! format {
    ($name:literal, $file:literal, $mutation:expr, $seeds:expr) => {
        Target {
            name: $name,
            bytes_max: 1 << 15,
            seeds: $seeds,
            mutation: $mutation,
            reader: || of_file($file, read_recording),
        }
    };
}

/// All of them.
pub const TARGETS: [Target; 25] = [
    format!("las", "a.las", Mutation::Bytes, || small(OutputFormat::Las, "a.las")),
    format!("laz", "a.laz", Mutation::Bytes, || small(OutputFormat::Laz, "a.laz")),
    format!("ply", "a.ply", Mutation::Bytes, || {
        let text = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n4 5 6\n";
        with(small(OutputFormat::Ply, "a.ply"), text)
    }),
    format!("ray-cloud", "a.raycloud.ply", Mutation::Bytes, || small(
        OutputFormat::RayCloud,
        "a.raycloud.ply"
    )),
    format!("pcd", "a.pcd", Mutation::Bytes, pcd_seeds),
    format!("csv", "a.csv", Mutation::Lines(no_lines), || {
        with(small(OutputFormat::Csv, "a.csv"), "# x y z time\n1 2 3 4\n5 6 7 8\n")
    }),
    format!("npy", "a.npy", Mutation::Bytes, || small(OutputFormat::Npy, "a.npy")),
    format!("evd", "a.evd", Mutation::Bytes, || small(OutputFormat::Evd, "a.evd")),
    format!("helios-xyz", "a.helios.xyz", Mutation::Lines(no_lines), || small(
        OutputFormat::HeliosXyz,
        "a.helios.xyz"
    )),
    format!("bin", "a.bin", Mutation::Bytes, || {
        vec![[1.5f32, 2.0, 3.0, 0.5].map(f32::to_le_bytes).as_flattened().repeat(9)]
    }),
    format!("parquet", "a.parquet", Mutation::Bytes, || small(OutputFormat::Parquet, "a.parquet")),
    format!("e57", "a.e57", Mutation::Sums(mutate::e57_pages), || small(
        OutputFormat::E57,
        "a.e57"
    )),
    format!("mcap", "a.mcap", Mutation::Mcap, || small(OutputFormat::Mcap, "a.mcap")),
    format!("pcap", "a.pcap", Mutation::Bytes, || small(OutputFormat::Pcap, "a.pcap")),
    format!("vtk", "a.vtk", Mutation::Lines(no_lines), || {
        with(
            vec![],
            "# vtk DataFile Version 3.0\ndata\nASCII\nDATASET POLYDATA\nPOINTS 2 float\n1 2 3\n4 5 6\n",
        )
    }),
    Target {
        name: "velodyne-packets",
        bytes_max: 1206 * 8,
        seeds: velodyne_payloads,
        mutation: Mutation::Bytes,
        reader: || payload_reader(2368, 1206, None),
    },
    Target {
        name: "ouster-packets",
        bytes_max: 1 << 14,
        seeds: ouster_payloads,
        mutation: Mutation::Bytes,
        reader: || payload_reader(7502, OUSTER_BYTES, Some(ouster_file(true))),
    },
    Target {
        name: "ouster-pcap",
        bytes_max: 1 << 15,
        seeds: || vec![ouster_file(false)],
        mutation: Mutation::Bytes,
        reader: || {
            let metadata = ouster_file(true);
            of_file("a.pcap", move |path| {
                std::fs::write(path.with_extension("json"), &metadata).unwrap();
                read_recording(path);
            })
        },
    },
    Target {
        name: "ouster-metadata",
        bytes_max: 1 << 15,
        seeds: || vec![ouster_file(true)],
        mutation: Mutation::Json,
        reader: || {
            of_file("a.json", |path| {
                if let Err(error) = read_ouster_metadata(path) {
                    is_sentence(&error);
                }
            })
        },
    },
    Target {
        name: "poses-text",
        bytes_max: 1 << 12,
        seeds: || {
            let texts = [
                "0.0 1 2 3 0 0 0 1\n0.5 2 2 3 0 0 0 1\n",
                "0 1 2 3\n1 2 3 4\n",
                "time,x,y,z,qx,qy,qz,qw\n0,1,2,3,0,0,0,1\n1,1,2,4,0,0,0,1\n",
                "# time x y z roll_deg pitch_deg yaw_deg\n0 1 2 3 1 2 3\n1 1 2 4 4 5 6\n",
            ];
            texts.iter().map(|text| text.as_bytes().to_vec()).collect()
        },
        mutation: Mutation::Lines(no_lines),
        reader: || of_file("a.txt", read_poses),
    },
    Target {
        name: "poses-helios",
        bytes_max: 1 << 12,
        seeds: || vec![b"1 2 3 0.5 0.1 0.2 0.3\n2 3 4 0.6 0.1 0.2 0.3\n".to_vec()],
        mutation: Mutation::Lines(no_lines),
        reader: || of_file("a_trajectory.txt", read_poses),
    },
    Target {
        name: "poses-kitti",
        bytes_max: 1 << 12,
        seeds: || vec![b"1 0 0 5 0 1 0 6 0 0 1 7\n1 0 0 6 0 1 0 6 0 0 1 7\n".to_vec()],
        mutation: Mutation::Lines(no_lines),
        reader: || {
            of_file("poses.txt", |path| {
                let beside = path.with_file_name("times.txt");
                if !beside.exists() {
                    std::fs::write(beside, "0\n0.1\n0.2\n0.3\n").unwrap();
                }
                read_poses(path);
            })
        },
    },
    Target {
        name: "times-and-calibration",
        bytes_max: 1 << 12,
        seeds: || {
            vec![
                b"0\n0.1\n".to_vec(),
                b"P0: 1 0 0 0 0 1 0 0 0 0 1 0\nTr: 1 0 0 0.1 0 1 0 0 0 0 1 0\n".to_vec(),
            ]
        },
        mutation: Mutation::Lines(no_lines),
        reader: || {
            of_file("times.txt", |path| {
                let poses = path.with_file_name("poses.txt");
                if !poses.exists() {
                    let text = "1 0 0 5 0 1 0 6 0 0 1 7\n1 0 0 6 0 1 0 6 0 0 1 7\n";
                    std::fs::write(&poses, text).unwrap();
                }
                let _also_calibration = std::fs::copy(path, path.with_file_name("calib.txt"));
                read_poses(&poses);
                std::fs::write(path, "0\n1\n").unwrap();
                read_poses(&poses);
            })
        },
    },
    Target {
        name: "poses-bag",
        bytes_max: 1 << 15,
        seeds: || small(OutputFormat::Mcap, "a.mcap"),
        mutation: Mutation::Mcap,
        reader: || of_file("a.mcap", read_poses),
    },
    Target {
        name: "rows",
        bytes_max: 1 << 14,
        seeds: || {
            let pack = |pulses| {
                let mut bytes = Vec::new();
                encode_records(&records(pulses), &mut bytes, &mut Vec::new());
                bytes
            };
            vec![pack(3), pack(50)]
        },
        mutation: Mutation::Bytes,
        reader: || {
            let (mut rows, mut scratch) = (Records::default(), Vec::new());
            Box::new(move |bytes| {
                if decode_records(bytes, &mut rows, &mut scratch).is_ok() {
                    assert_eq!(rows.uneven_column(), None);
                }
            })
        },
    },
];

fn no_lines() -> Vec<String> {
    Vec::new()
}

/// Describes and reads a recording; what it says must be valid.
fn read_recording(path: &Path) {
    if let Err(error) = describe(path) {
        is_sentence(&error);
        assert!(!error.to_string().contains('\n'), "{error}");
    }
    let options = ReadOptions { undirected_misses: true, ..ReadOptions::default() };
    let mut recording = match Recording::open(path, &options) {
        Ok(recording) => recording,
        Err(error) => return is_sentence(&error),
    };
    let mut batch = Records::default();
    loop {
        match recording.next_batch(&mut batch) {
            Ok(true) => assert_eq!(batch.uneven_column(), None),
            Ok(false) => break,
            Err(error) => return is_sentence(&error),
        }
    }
    let report = recording.report();
    assert_eq!(report.rows, report.returns + report.misses + report.skipped(), "{report}");
}

fn read_poses(path: &Path) {
    match read_pose_file(path, &PoseFileOptions::default()) {
        Ok(poses) => {
            let [from_s, to_s] = poses.span_s();
            assert!(poses.is_empty() || (from_s.is_finite() && from_s <= to_s));
        }
        Err(error) => is_sentence(&error),
    }
}

/// Files of 5 and of 40 pulses.
fn small(format: OutputFormat, name: &str) -> Vec<Vec<u8>> {
    let of = |pulses, extra_bytes| {
        let sensors = match format {
            OutputFormat::Pcap => {
                vec![SensorDescription::velodyne(VelodyneModel::Vlp16).unwrap()]
            }
            _ => Vec::new(),
        };
        let bag_compression = if extra_bytes { BagCompression::None } else { BagCompression::Zstd };
        let options =
            SinkOptions { extra_bytes, sensors, bag_compression, ..SinkOptions::default() };
        written(format, name, pulses, &options, None)
    };
    vec![of(5, true), of(40, false)]
}

fn with(mut seeds: Vec<Vec<u8>>, text: &str) -> Vec<Vec<u8>> {
    seeds.push(text.as_bytes().to_vec());
    seeds
}

fn pcd_seeds() -> Vec<Vec<u8>> {
    let head = "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 1\nVIEWPOINT 1 0 0 1 0 0 0\nPOINTS 3\nDATA ";
    let mut packed = std::format!("{head}binary_compressed\n").into_bytes();
    packed.extend_from_slice(&[38, 0, 0, 0, 36, 0, 0, 0]);
    for part in [1.5f32; 9].map(f32::to_le_bytes).as_flattened().chunks(18) {
        packed.push(17);
        packed.extend_from_slice(part);
    }
    let text = std::format!("{head}ascii\n1.5 2 3\n4 5 6\n7 8 9\n");
    let mut seeds = with(small(OutputFormat::Pcd, "a.pcd"), &text);
    seeds.push(packed);
    seeds
}

/// The capture of an Ouster, or its metadata.
fn ouster_file(metadata: bool) -> Vec<u8> {
    let options = SinkOptions { sensors: vec![ouster()], ..SinkOptions::default() };
    written(OutputFormat::Pcap, "a.pcap", 400, &options, metadata.then_some("json"))
}

/// Size of an Ouster's packets with 16 rows.
const OUSTER_BYTES: usize = 3392;

/// What stands in the packets of a capture: libpcap's headers are 24 and 16 bytes, those of
/// Ethernet, IPv4 and UDP 42.
fn payloads(capture: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = capture.get(24..).unwrap_or_default();
    let mut payloads = Vec::new();
    while let Some((head, behind)) = rest.split_at_checked(16) {
        let length = u32::from_le_bytes(head[8..12].try_into().unwrap()) as usize;
        let length = length.min(behind.len());
        payloads.push(behind[42.min(length)..length].to_vec());
        rest = &behind[length..];
    }
    payloads
}

fn velodyne_payloads() -> Vec<Vec<u8>> {
    let capture = small(OutputFormat::Pcap, "a.pcap").pop().unwrap_or_default();
    payloads(&capture)
}

fn ouster_payloads() -> Vec<Vec<u8>> {
    payloads(&ouster_file(false)).into_iter().take(3).collect()
}

/// Puts bytes into packets of this port and size, and reads them as a capture.
fn payload_reader(port: u16, size: usize, metadata: Option<Vec<u8>>) -> Reader {
    let mut capture = Vec::new();
    let mut read = of_file("a.pcap", move |path| {
        if let Some(metadata) = &metadata {
            std::fs::write(path.with_extension("json"), metadata).unwrap();
        }
        read_recording(path);
    });
    Box::new(move |bytes| {
        capture.clear();
        capture.extend(0xa1b2_c3d4u32.to_le_bytes());
        capture.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        capture.extend(65_535u32.to_le_bytes());
        capture.extend(1u32.to_le_bytes());
        for (number, payload) in bytes.chunks(size).enumerate() {
            let (ip, udp) = ((20 + 8 + size) as u16, (8 + size) as u16);
            let length = (14 + 20 + 8 + size) as u32;
            for field in [0, number as u32 * 1000, length, length] {
                capture.extend(field.to_le_bytes());
            }
            capture.extend([0xff; 12]);
            capture.extend([8, 0, 0x45, 0]);
            capture.extend(ip.to_be_bytes());
            capture.extend([0, 0, 0, 0, 64, 17, 0, 0, 192, 168, 1, 201, 255, 255, 255, 255]);
            capture.extend(port.to_be_bytes());
            capture.extend(port.to_be_bytes());
            capture.extend(udp.to_be_bytes());
            capture.extend([0, 0]);
            capture.extend(payload);
            capture.resize(capture.len() + size - payload.len(), 0);
        }
        read(&capture);
    })
}
