// SPDX-License-Identifier: Apache-2.0

package import RoostSealing

// The kinds of encrypted values in a store.
//
// A number is never reused; 6 was a place of earlier builds. The values bound here are part of every
// stored row, so a change would make all rows unreadable.
extension SealPlace {
    package static func message(
        channelRow: Int64, createdAt: Int64, id: Int64
    ) -> SealPlace { SealPlace(kind: 1, channelRow, createdAt, id) }

    package static func channel(row: Int64) -> SealPlace { SealPlace(kind: 2, row) }

    /// A user's row has no number before it is written, so the hash of the ID is bound instead.
    package static func user(_ id: NameHash) -> SealPlace { SealPlace(kind: 3, id.high, id.low) }

    /// A name whose hash is in a lookup column.
    package static func name(_ kind: NameKind, _ hash: NameHash) -> SealPlace {
        SealPlace(kind: 4, hash.high, hash.low, Int64(kind.rawValue))
    }

    package static func cursor(kind: Int64, channelRow: Int64) -> SealPlace {
        SealPlace(kind: 5, kind, channelRow)
    }

    /// An unsent message, by the hash of its request ID: its row's number comes with the row.
    package static func item(_ requestID: NameHash) -> SealPlace {
        SealPlace(kind: 7, requestID.high, requestID.low)
    }

    /// A piece of an unsent or downloaded file, which has a key of its own; of a download also its
    /// version, at -1.
    static func attachment(offset: Int64) -> SealPlace { SealPlace(kind: 8, offset) }

    static let lookupKey = SealPlace(kind: 250)

    static func dataKey(number: Int64, channelRow: Int64) -> SealPlace {
        SealPlace(kind: 251, number, channelRow)
    }
}
