// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The parameters of a message in the form that is encoded.
struct CodedParams: Codable {
    var params: MessageParams
    /// The languages of a translation, which the client's own parameters lack.
    var languages: [String]?
    /// The time of sending, in milliseconds; nil for a message that is not scheduled.
    var scheduledAt: Int64?

    init(_ params: MessageParams, languages: [String]? = nil, scheduledAt: Int64? = nil) {
        self.params = params
        self.languages = languages
        self.scheduledAt = scheduledAt
    }

    /// The error of a decoder whose value is that of parameters of another class.
    static func mismatch(_ decoder: any Decoder) -> DecodingError {
        .dataCorrupted(
            .init(
                codingPath: decoder.codingPath,
                debugDescription: "These are parameters of another kind of message."))
    }
}
