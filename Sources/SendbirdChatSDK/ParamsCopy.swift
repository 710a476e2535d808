// SPDX-License-Identifier: Apache-2.0

import Foundation

// Copies of parameters. Without `copy(with:)` in its class, an object has a `copy()` all the same:
// it stops the app on Apple platforms, and returns the object itself on Linux.

extension NSObjectProtocol {
    /// Takes over some properties of another object.
    ///
    /// - Parameters:
    ///   - properties: The properties.
    ///   - other: The other object.
    /// - Returns: This object.
    func taking<each Value>(
        _ properties: repeat ReferenceWritableKeyPath<Self, each Value>, from other: Self
    ) -> Self {
        for property in repeat each properties {
            self[keyPath: property] = other[keyPath: property]
        }
        return self
    }
}

extension NSCopying {
    /// The same parameters as an object of their own.
    var copied: Self { copy(with: nil) as? Self ?? self }
}
