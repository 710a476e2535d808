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
                return .written(await perform(writes).map { OutboxWritten($0) })
            case .news(let isRegardless): return .news(try await news(regardless: isRegardless))
            case .absent(let ids): return .absent(try await absent(ids))
            case .mend(let loss):
                mend(loss)
                return .done
            case .copyFiles(let params, let requestID, let sequence):
                let (content, copies) = try await copyFiles(of: params, requestID, at: sequence)
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
    fileprivate init(_ result: Result<OutboxResult, StoreError>) {
        self =
            switch result {
            case .success(.noted(let receipt)):
                .noted(
                    hasNews: receipt.hasNews, refused: receipt.refused.mapValues { RoostError($0) })
            case .success(.place(let sequence)): .place(sequence)
            case .success(.item(let item)): .item(item)
            case .success(.takenBack(let isGone)): .takenBack(isGone)
            case .failure(let error): .failed(RoostError(error))
            }
    }
}
