// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel

/// The result of writing notes.
package struct OutboxReceipt: Sendable {
    /// Whether another process has written since the last call of `OutboxStore.news`.
    package let hasNews: Bool
    /// The errors of the notes that were left out, by index.
    package let refused: [Int: StoreError]
}

/// The stored numbers of `UnsentState`; never reused.
enum OutboxStateTag: Int64 {
    case pending = 0
    case failed = 1
    case canceled = 2

    /// Whether a later release may have given a state this number; another one is damage.
    static func isPlausible(_ tag: Int64) -> Bool {
        (0...Int64(PayloadError.lastPlausibleVersion)).contains(tag)
    }
}

extension UnsentState {
    var stored: (tag: OutboxStateTag, code: Int64?) {
        switch self {
        case .pending: (.pending, nil)
        case .failed(let code): (.failed, Int64(code.rawValue))
        case .canceled: (.canceled, nil)
        }
    }

    init?(tag: Int64, code: Int64?) {
        switch OutboxStateTag(rawValue: tag) {
        case .pending: self = .pending
        case .failed: self = .failed(RoostError.Code(Int(clamping: code ?? 0)))
        case .canceled: self = .canceled
        case nil: return nil
        }
    }
}
