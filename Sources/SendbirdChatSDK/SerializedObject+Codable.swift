// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostWire

// Objects are encoded as one value, the bytes of their `serialize()`.

extension SerializedObject {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(bytes))
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let object = SerializedObject(Array(try container.decode(Data.self))) else {
            throw Self.mismatch(decoder, "These are no bytes of `serialize()`.")
        }
        self = object
    }

    /// The error of a decoder whose bytes are of another kind of object.
    static func mismatch(
        _ decoder: any Decoder, _ reason: String = "The bytes are of another kind of object."
    ) -> DecodingError {
        .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
    }
}
