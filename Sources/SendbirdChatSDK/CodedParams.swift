// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostModel

/// The parameters of a message in the form that is encoded.
struct CodedParams: Codable {
    var params: MessageParams
    /// The languages of a translation, which the client's own parameters lack.
    var languages: [String]?
    /// The time of sending, in milliseconds; nil for a message that is not scheduled.
    var scheduledAt: Int64?

    private enum CodingKeys: CodingKey {
        case params, languages, scheduledAt
    }

    init(_ params: MessageParams, languages: [String]? = nil, scheduledAt: Int64? = nil) {
        self.params = params
        self.languages = languages
        self.scheduledAt = scheduledAt
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(params.openingFiles(at: encoder.codingPath), forKey: .params)
        try container.encodeIfPresent(languages, forKey: .languages)
        try container.encodeIfPresent(scheduledAt, forKey: .scheduledAt)
    }

    /// The error of a decoder whose value is that of parameters of another class.
    static func mismatch(_ decoder: any Decoder) -> DecodingError {
        .dataCorrupted(
            .init(
                codingPath: decoder.codingPath,
                debugDescription: "These are parameters of another kind of message."))
    }
}

extension MessageParams {
    /// Returns the parameters with the bytes of encrypted copies, whose keys are never encoded.
    fileprivate func openingFiles(at path: [any CodingKey]) throws -> MessageParams {
        guard case .file(var params) = self else { return self }
        for index in params.files.indices where params.files[index].sealedCopy != nil {
            guard let bytes = params.files[index].readNow() else {
                throw EncodingError.invalidValue(
                    params.files[index].name,
                    .init(codingPath: path, debugDescription: "The file cannot be read."))
            }
            params.files[index].source = .bytes(bytes)
            params.files[index].sealedCopy = nil
        }
        return .file(params)
    }
}
