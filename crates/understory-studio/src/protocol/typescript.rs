//! The page's types are those of the program: `page/src/protocol.ts` is generated and current.

use std::path::Path;
use ts_rs::{Config, TS};

use super::{block::*, compare::*, document::*, layer::*, library::*, pulse::*, world::*};

const HEAD: &str = "// Generated from crates/understory-studio/src/protocol by its tests; do not edit.\n// UNDERSTORY_UPDATE=1 cargo nextest run -p understory-studio typescript\n";

/// All types, one after another.
fn typescript() -> String {
    let config = Config::new().with_large_int("number");
    let mut text = HEAD.to_owned();
    macro_rules! types {
        ($($ty:ty),* $(,)?) => {$(
            text.push('\n');
            if let Some(docs) = <$ty>::docs() {
                text.push_str(&docs);
            }
            text.push_str("export ");
            text.push_str(&<$ty>::decl(&config));
            text.push('\n');
        )*};
    }
    types!(
        BlockHeader,
        ColumnHeader,
        NumberKind,
        Hello,
        Limits,
        Library,
        ScenarioCard,
        ScenarioSource,
        SensorCard,
        FileCard,
        FormatCard,
        ColumnCard,
        LabelCard,
        Problem,
        Document,
        KeyPlace,
        Step,
        Summary,
        SensorSummary,
        OpenDocument,
        WriteText,
        EditKeys,
        Edit,
        World,
        MaterialCard,
        ObjectCard,
        SensorView,
        PlatformView,
        PathPose,
        WeatherView,
        SiteView,
        GeometryExtra,
        MeshCard,
        MeshPart,
        BeamsExtra,
        MomentExtra,
        Layer,
        LayerKind,
        LayerState,
        StartScan,
        OpenRecording,
        RenameLayer,
        PointsExtra,
        ImageExtra,
        PointRecord,
        Field,
        LayerNames,
        News,
        PulseAccount,
        SubRay,
        SubRayHit,
        VolumePassed,
        Echo,
        EchoKind,
        PulseReturn,
        CompareLayers,
        Compared,
        Figure,
        Histogram,
        DifferenceExtra,
        DifferenceKind,
        LearnSite,
        Job,
        JobState,
    );
    text
}

#[test]
fn the_types_of_the_page_are_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("page/src/protocol.ts");
    let text = typescript();
    if std::env::var_os("UNDERSTORY_UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == text,
        "page/src/protocol.ts is not current; UNDERSTORY_UPDATE=1 cargo nextest run -p understory-studio typescript writes it"
    );
}
