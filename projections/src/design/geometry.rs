//! Where a node lies, local to its parent.

use super::number::Number;
use crate::fault::Invalid;
use crate::json::{Json, JsonMap};
use crate::wire::Fields;

/// One field of a geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The distance from the parent's left edge, in px.
    X,
    /// The distance from the parent's top edge, in px.
    Y,
    /// The width in px.
    Width,
    /// The height in px.
    Height,
    /// The rotation in degrees.
    Rotation,
}

/// Where a node lies, in px local to its parent, and how it is rotated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometry([Number; Side::COUNT]);

/// Some fields of a geometry, to be changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GeometryPatch([Option<Number>; Side::COUNT]);

impl Side {
    const COUNT: usize = 5;
    const NAMES: [&str; Side::COUNT] = ["x", "y", "width", "height", "rotation"];

    /// All fields, in the order in which they are written.
    pub const ALL: [Side; Side::COUNT] = [Side::X, Side::Y, Side::Width, Side::Height, Side::Rotation];

    /// Gives the name on the wire.
    pub fn as_str(self) -> &'static str {
        Side::NAMES[self.index()]
    }

    fn index(self) -> usize {
        match self {
            Side::X => 0,
            Side::Y => 1,
            Side::Width => 2,
            Side::Height => 3,
            Side::Rotation => 4,
        }
    }
}

impl Geometry {
    /// Gives one field.
    pub fn get(&self, side: Side) -> &Number {
        &self.0[side.index()]
    }

    /// Changes one field.
    pub(crate) fn set(&mut self, side: Side, number: Number) {
        self.0[side.index()] = number;
    }

    /// Makes a geometry of five numbers, in the order of [`Side::ALL`].
    pub fn new(numbers: [Number; Side::COUNT]) -> Geometry {
        Geometry(numbers)
    }

    /// Gives every field as a patch.
    pub fn to_patch(&self) -> GeometryPatch {
        GeometryPatch(self.0.clone().map(Some))
    }

    /// Changes what the patch names; gives what it really changed, and the patch that takes it back.
    pub(crate) fn apply(&mut self, patch: &GeometryPatch) -> (GeometryPatch, GeometryPatch) {
        let (mut changed, mut inverse) = (GeometryPatch::default(), GeometryPatch::default());
        for side in Side::ALL {
            let Some(new) = patch.get(side) else { continue };
            let field = &mut self.0[side.index()];
            if field != new {
                changed.set(side, new.clone());
                inverse.set(side, std::mem::replace(field, new.clone()));
            }
        }
        (changed, inverse)
    }

    /// Gives the fields in which another geometry differs, with their values there.
    pub(crate) fn diff(&self, to: &Geometry) -> GeometryPatch {
        self.clone().apply(&to.to_patch()).0
    }

    /// Reads a geometry; missing fields are zero.
    pub(crate) fn from_json(json: &Json, pointer: String) -> Result<Geometry, Invalid> {
        let mut geometry = Geometry::default();
        geometry.apply(&GeometryPatch::from_json(json, pointer)?);
        Ok(geometry)
    }

    pub(crate) fn to_json(&self) -> Json {
        self.to_patch().to_json()
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        for (number, (side, lead)) in self.0.iter().zip(Side::ALL.iter().zip("{,,,,".bytes())) {
            out.push(lead);
            out.push(b'"');
            out.extend_from_slice(side.as_str().as_bytes());
            out.extend_from_slice(b"\":");
            number.write(out);
        }
        out.push(b'}');
    }

    pub(crate) fn weight(&self) -> usize {
        self.0.iter().map(Number::weight).sum()
    }
}

impl Default for Geometry {
    fn default() -> Geometry {
        Geometry([Number::ZERO; Side::COUNT])
    }
}

impl GeometryPatch {
    /// Gives one field, if it is to be changed.
    pub fn get(&self, side: Side) -> Option<&Number> {
        self.0[side.index()].as_ref()
    }

    /// Names a field to be changed.
    pub fn set(&mut self, side: Side, number: Number) {
        self.0[side.index()] = Some(number);
    }

    /// Says whether nothing is to be changed.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    pub(crate) fn from_json(json: &Json, pointer: String) -> Result<GeometryPatch, Invalid> {
        let fields = Fields::open(json, pointer, &Side::NAMES)?;
        let mut patch = GeometryPatch::default();
        for side in Side::ALL {
            match fields.optional(side.as_str()) {
                None => {}
                Some(Json::Number(number)) => {
                    let number = Number::from_json(number);
                    patch.set(
                        side,
                        number.map_err(|rule| Invalid::rule(fields.at(side.as_str()), rule))?,
                    );
                }
                Some(_) => return Err(Invalid::malformed(fields.at(side.as_str()), "a number")),
            }
        }
        Ok(patch)
    }

    pub(crate) fn to_json(&self) -> Json {
        let named = Side::ALL
            .into_iter()
            .filter_map(|side| Some((side.as_str().to_owned(), self.get(side)?.to_json())));
        Json::Object(named.collect::<JsonMap>())
    }
}
