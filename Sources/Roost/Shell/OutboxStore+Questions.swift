// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel
package import RoostStore

extension OutboxStore {
    /// Answers a request of the machine to the outbox's file.
    package func answer(_ question: OutboxQuestion) async throws(RoostError) -> OutboxAnswer {
        do {
            switch question {
            case .write(let writes):
                return .written(
                    zip(writes, await perform(writes)).map { OutboxWritten($1, of: $0) })
            case .news(let isRegardless): return .news(try await news(regardless: isRegardless))
            case .absent(let ids): return .absent(try await absent(ids))
            case .dropped(let ids): return .dropped(try await dropped(ids))
            case .mend(let loss):
                mend(loss)
                return .done
            case .copyFiles(let params, _, let sequence):
                let (content, copies) = try await copyFiles(of: params, at: sequence)
                return .copied(content, copies)
            case .takeTurn: return .turn(maySend())
            case .tidyFiles(let moment):
                try await tidyFiles(madeBefore: moment)
                return .done
            }
        } catch {
            throw RoostError(error)
        }
    }
}

extension OutboxWritten {
    fileprivate init(_ result: Result<OutboxResult, StoreError>, of write: OutboxWrite) {
        self =
            switch result {
            case .success(.noted(let receipt)):
                .noted(
                    hasNews: receipt.hasNews, refused: receipt.refused.mapValues { RoostError($0) })
            case .success(.place(let sequence)): .place(sequence)
            case .success(.item(let item)): .item(item)
            case .success(.takenBack(let isGone)): .takenBack(isGone)
            case .failure(let error): .failed(RoostError(error.naming(write.loss)))
            }
    }
}

extension OutboxWrite {
    /// The name of the thing that the caller loses if the disk refuses; nil if a retry follows.
    fileprivate var loss: String? {
        switch self {
        case .append(let draft): draft.content.isChange ? "change" : "message"
        case .reserve: "message"
        case .keep: "draft"
        case .fold: "change"
        case .notes, .requeue, .takeBack: nil
        }
    }
}

extension StoreError {
    /// The error of a full disk with a message about the thing that was not saved.
    fileprivate func naming(_ loss: String?) -> StoreError {
        guard kind == .full, let loss else { return self }
        return StoreError(
            .full,
            "The \(loss) was not saved, because the disk is full: free some space, and try again.",
            cause: cause)
    }
}
