// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension Message {
    /// Returns this message, updated with another copy of it.
    ///
    /// The copy edited later wins, whichever came first (scar 119). With equal times the copy that
    /// came last wins, because a translation or a link preview has no time of its own (scar 118).
    /// If one copy lacks the request ID or the sender, those of the other are kept.
    package func merged(with other: Message) -> Message {
        let isStale = (other.updatedAt ?? .distantPast) < (updatedAt ?? .distantPast)
        let (base, rest) = isStale ? (self, other) : (other, self)
        var merged = base
        if merged.sender == nil { merged.sender = rest.sender }
        if let id = merged.messageID, merged.requestID == nil {
            merged.delivery = .delivered(id, rest.requestID)
        }
        merged.completeDetails(from: rest)
        return merged
    }
}
