//! Where the elements of an operand lie, as an affine function of index letters.

/// An index with its extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letter {
    /// Its name in index strings: `i`, `t`.
    pub name: char,
    /// Number of values, from 0 on.
    pub extent: usize,
}

impl Letter {
    /// A letter with its extent.
    pub fn new(name: char, extent: usize) -> Letter {
        Letter { name, extent }
    }
}

/// Element `offset + sum(stride * letter)` of an operand.
///
/// Transposes, storage orders, slabs and leading dimensions are all strides, so no later stage knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Position of the operand in [`Spec::operands`](super::Spec::operands).
    pub operand: usize,
    /// Constant part.
    pub offset: usize,
    /// Stride of each letter that occurs, in the order of the operand's index string.
    pub strides: Vec<(char, usize)>,
}

impl Access {
    /// A dense array with the first letter fastest: `Access::dense(0, &[i, t])` is element `i + t * i.extent`.
    pub fn dense(operand: usize, letters: &[Letter]) -> Access {
        let mut stride = 1;
        let strides = letters.iter().map(|letter| {
            let own = (letter.name, stride);
            stride *= letter.extent;
            own
        });
        Access { operand, offset: 0, strides: strides.collect() }
    }

    /// An array with given strides.
    pub fn strided(operand: usize, strides: &[(char, usize)]) -> Access {
        Access { operand, offset: 0, strides: strides.to_vec() }
    }

    /// The access with two letters exchanged.
    pub fn swapped(&self, first: char, second: char) -> Access {
        let exchanged = |letter| match letter {
            letter if letter == first => second,
            letter if letter == second => first,
            letter => letter,
        };
        let strides = self.strides.iter().map(|(letter, stride)| (exchanged(*letter), *stride)).collect();
        Access { strides, ..self.clone() }
    }

    /// The letters as an index string.
    pub fn letters(&self) -> String {
        self.strides.iter().map(|(letter, _)| letter).collect()
    }
}
