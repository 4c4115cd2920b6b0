//! How the species grow.
//!
//! How each grows follows how floras describe the species: Roloff (2015, "Handbuch Baumdiagnostik")
//! for crowns, Hallé, Oldeman and Tomlinson (1978) for the order of branching, Ellenberg and Leuschner
//! (2010) for the shade that they bear. Sizes are those of grown trees in summer; every tree in the
//! field differs.

use super::{Bark, GrownSpec};
use crate::{LeafAngle, LeafShape};

/// What all conifers of the list share.
fn conifer() -> GrownSpec {
    GrownSpec {
        whorled: true,
        needles: true,
        shoot_length_m: 0.28,
        leaves_per_shoot: 24,
        leaf_length_m: 0.04,
        leaf_width_m: 0.006,
        phototropism: 0.1,
        stem_tropism: 0.5,
        ..GrownSpec::default()
    }
}

/// The species of this name.
pub(crate) fn species(name: &str) -> Option<GrownSpec> {
    SPECIES.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}

/// A name and what makes its description.
type Named = (&'static str, fn() -> GrownSpec);

/// All of them.
pub(crate) const SPECIES: &[Named] = &[
    ("oak", oak),
    ("beech", beech),
    ("birch", birch),
    ("apple", apple),
    ("poplar", poplar),
    ("acacia", acacia),
    ("alder", alder),
    ("willow", willow),
    ("spruce", spruce),
    ("pine", pine),
    ("larch", larch),
];

pub(crate) fn oak() -> GrownSpec {
    GrownSpec {
        height_m: 15.0,
        crown_width_m: 14.0,
        pruned_below_m: 2.5,
        stem_diameter_m: 0.65,
        leader_m: 0.4,
        side_share: 0.85,
        apical_control: 0.49,
        branch_angle_deg: 60.0,
        side_angle_deg: 50.0,
        branches_per_shoot: 2.5,
        sides_per_shoot: 2.0,
        branch_tropism: 0.1,
        wander: 0.32,
        leader_loss: 0.1,
        slow_from: 0.35,
        slow_to: 0.5,
        shade_limit: 0.12,
        shoot_foliage: 2.0,
        sag: 0.4,
        leaf_length_m: 0.11,
        leaf_width_m: 0.065,
        ..GrownSpec::default()
    }
}

pub(crate) fn beech() -> GrownSpec {
    GrownSpec {
        height_m: 18.0,
        crown_width_m: 10.0,
        pruned_below_m: 1.5,
        stem_diameter_m: 0.45,
        side_share: 0.75,
        apical_control: 0.53,
        branch_angle_deg: 48.0,
        side_angle_deg: 45.0,
        branches_per_shoot: 3.0,
        sides_per_shoot: 2.0,
        flat: true,
        branch_tropism: 0.12,
        wander: 0.14,
        shade_limit: 0.06,
        slow_from: 0.5,
        slow_to: 0.5,
        shoot_foliage: 2.4,
        sag: 0.6,
        shoot_length_m: 0.3,
        shoot_tropism: 0.0,
        leaf_length_m: 0.085,
        leaf_width_m: 0.055,
        leaf_angle: LeafAngle::Planophile,
        leaf_area_index: 5.5,
        bark: Bark::Grey,
        ..GrownSpec::default()
    }
}

pub(crate) fn birch() -> GrownSpec {
    GrownSpec {
        height_m: 14.0,
        crown_width_m: 5.5,
        pruned_below_m: 2.0,
        stem_diameter_m: 0.2,
        twig_diameter_m: 0.002,
        leader_m: 0.55,
        side_share: 0.75,
        apical_control: 0.55,
        branch_angle_deg: 42.0,
        side_angle_deg: 40.0,
        branches_per_shoot: 3.5,
        branch_tropism: 0.12,
        wander: 0.14,
        shade_limit: 0.15,
        slow_to: 0.5,
        shoot_foliage: 2.0,
        sag: 1.0,
        shoot_length_m: 0.6,
        shoot_tropism: -1.3,
        leaves_per_shoot: 14,
        leaf_length_m: 0.05,
        leaf_width_m: 0.04,
        leaf_shape: LeafShape::Deltoid,
        leaf_area_index: 3.0,
        bark: Bark::White,
        ..GrownSpec::default()
    }
}

pub(crate) fn apple() -> GrownSpec {
    GrownSpec {
        height_m: 4.0,
        crown_width_m: 3.6,
        pruned_below_m: 0.9,
        stem_diameter_m: 0.12,
        leader_m: 0.2,
        side_share: 0.8,
        apical_control: 0.48,
        branch_angle_deg: 55.0,
        side_angle_deg: 50.0,
        branches_per_shoot: 2.5,
        sides_per_shoot: 2.0,
        branch_tropism: 0.12,
        wander: 0.28,
        leader_loss: 0.12,
        slow_from: 0.3,
        slow_to: 0.5,
        shade_limit: 0.14,
        shoot_foliage: 2.0,
        sag: 1.0,
        shoot_length_m: 0.18,
        leaves_per_shoot: 8,
        leaf_length_m: 0.08,
        leaf_width_m: 0.045,
        leaf_shape: LeafShape::Oval,
        leaf_area_index: 2.8,
        ..GrownSpec::default()
    }
}

pub(crate) fn poplar() -> GrownSpec {
    GrownSpec {
        height_m: 20.0,
        crown_width_m: 3.4,
        pruned_below_m: 1.0,
        stem_diameter_m: 0.45,
        leader_m: 0.6,
        side_share: 0.7,
        apical_control: 0.55,
        branch_angle_deg: 22.0,
        side_angle_deg: 24.0,
        branches_per_shoot: 4.5,
        sides_per_shoot: 2.0,
        stem_tropism: 0.4,
        branch_tropism: 0.5,
        phototropism: 0.1,
        wander: 0.1,
        shade_limit: 0.08,
        slow_from: 0.7,
        shoot_foliage: 1.5,
        sag: 0.2,
        shoot_length_m: 0.35,
        shoot_tropism: 0.8,
        leaf_length_m: 0.065,
        leaf_width_m: 0.065,
        leaf_shape: LeafShape::Deltoid,
        leaf_angle: LeafAngle::Erectophile,
        leaf_area_index: 9.0,
        leaf_count_max: 60_000,
        ..GrownSpec::default()
    }
}

pub(crate) fn acacia() -> GrownSpec {
    GrownSpec {
        height_m: 7.0,
        crown_width_m: 9.0,
        pruned_below_m: 2.2,
        stem_diameter_m: 0.35,
        leader_m: 0.3,
        side_share: 0.85,
        apical_control: 0.45,
        branch_angle_deg: 62.0,
        side_angle_deg: 45.0,
        branches_per_shoot: 2.5,
        sides_per_shoot: 2.2,
        flat: true,
        branch_tropism: 0.02,
        wander: 0.22,
        leader_loss: 0.1,
        slow_from: 0.3,
        slow_to: 0.3,
        shade_limit: 0.2,
        shoot_foliage: 1.5,
        sag: 0.1,
        shoot_length_m: 0.2,
        leaf_length_m: 0.08,
        leaf_width_m: 0.03,
        leaf_area_index: 1.5,
        ..GrownSpec::default()
    }
}

pub(crate) fn alder() -> GrownSpec {
    GrownSpec {
        height_m: 15.0,
        crown_width_m: 6.0,
        pruned_below_m: 1.5,
        stem_diameter_m: 0.25,
        leader_m: 0.5,
        side_share: 0.65,
        apical_control: 0.55,
        branch_angle_deg: 62.0,
        branches_per_shoot: 3.5,
        sides_per_shoot: 2.2,
        stem_tropism: 0.4,
        wander: 0.12,
        shade_limit: 0.14,
        shoot_foliage: 2.0,
        sag: 0.8,
        leaf_length_m: 0.075,
        leaf_width_m: 0.065,
        leaf_shape: LeafShape::Oval,
        leaf_area_index: 3.5,
        leaf_count_max: 100_000,
        bark: Bark::Grey,
        ..GrownSpec::default()
    }
}

pub(crate) fn willow() -> GrownSpec {
    GrownSpec {
        height_m: 14.0,
        crown_width_m: 10.0,
        pruned_below_m: 1.0,
        stem_diameter_m: 0.5,
        twig_diameter_m: 0.003,
        leader_m: 0.55,
        side_share: 0.8,
        apical_control: 0.48,
        branch_angle_deg: 40.0,
        side_angle_deg: 35.0,
        branches_per_shoot: 2.8,
        sides_per_shoot: 2.2,
        branch_tropism: 0.15,
        wander: 0.2,
        leader_loss: 0.12,
        slow_from: 0.4,
        slow_to: 0.5,
        shade_limit: 0.16,
        shoot_foliage: 2.0,
        sag: 0.4,
        shoot_length_m: 0.6,
        shoot_tropism: -0.6,
        leaves_per_shoot: 16,
        leaf_length_m: 0.08,
        leaf_width_m: 0.018,
        leaf_shape: LeafShape::Lanceolate,
        leaf_area_index: 4.0,
        leaf_count_max: 250_000,
        ..GrownSpec::default()
    }
}

pub(crate) fn spruce() -> GrownSpec {
    GrownSpec {
        height_m: 14.0,
        crown_width_m: 5.0,
        stem_diameter_m: 0.24,
        twig_diameter_m: 0.003,
        leader_m: 0.4,
        side_share: 0.6,
        apical_control: 0.55,
        branch_angle_deg: 78.0,
        side_angle_deg: 55.0,
        branches_per_shoot: 11.0,
        sides_per_shoot: 4.0,
        branch_orders: 2,
        flat: true,
        stem_tropism: 0.6,
        branch_tropism: 0.06,
        wander: 0.08,
        shade_limit: 0.06,
        dead_years: 14,
        leaf_years: 6,
        leader_loss: 0.003,
        slow_from: 0.8,
        slow_to: 0.8,
        shoot_foliage: 1.0,
        sag: 30.0,
        shoot_tropism: -0.7,
        leaf_area_index: 6.0,
        leaf_count_max: 300_000,
        bark: Bark::Scaly,
        ..conifer()
    }
}

pub(crate) fn pine() -> GrownSpec {
    GrownSpec {
        height_m: 16.0,
        crown_width_m: 6.5,
        neighbours_m: Some(5.5),
        stem_diameter_m: 0.3,
        twig_diameter_m: 0.006,
        leader_m: 0.4,
        side_share: 0.7,
        apical_control: 0.52,
        branch_angle_deg: 68.0,
        side_angle_deg: 45.0,
        branches_per_shoot: 5.0,
        sides_per_shoot: 2.6,
        branch_tropism: 0.12,
        phototropism: 0.3,
        wander: 0.16,
        shade_limit: 0.22,
        dead_years: 8,
        leaf_years: 3,
        slow_from: 0.45,
        slow_to: 0.35,
        shoot_foliage: 1.2,
        sag: 0.3,
        shoot_length_m: 0.14,
        shoot_tropism: 0.5,
        leaves_per_shoot: 30,
        leaf_length_m: 0.07,
        leaf_area_index: 3.0,
        leaf_count_max: 250_000,
        bark: Bark::Orange,
        ..conifer()
    }
}

pub(crate) fn larch() -> GrownSpec {
    GrownSpec {
        height_m: 18.0,
        crown_width_m: 6.0,
        pruned_below_m: 2.0,
        stem_diameter_m: 0.3,
        twig_diameter_m: 0.003,
        leader_m: 0.5,
        side_share: 0.6,
        apical_control: 0.55,
        branch_angle_deg: 80.0,
        side_angle_deg: 55.0,
        branches_per_shoot: 6.0,
        sides_per_shoot: 3.0,
        branch_orders: 2,
        whorled: false,
        flat: true,
        branch_tropism: 0.08,
        wander: 0.1,
        shade_limit: 0.15,
        dead_years: 8,
        leader_loss: 0.01,
        slow_from: 0.7,
        slow_to: 0.6,
        shoot_foliage: 1.5,
        sag: 6.0,
        shoot_tropism: -0.5,
        leaf_length_m: 0.03,
        leaf_area_index: 3.0,
        leaf_count_max: 250_000,
        ..conifer()
    }
}
