// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

// The size of the cache.

extension SyncEngine {
    /// Performs work of the machine on the cache.
    func perform(
        _ task: CacheTask, for id: SyncMachine.OperationID
    ) async throws(RoostError) -> CacheTaskAnswer {
        do throws(StoreError) {
            switch task {
            case .checkLimit: return .limit(isReached: try await store.writer.isBudgetReached())
            case .beginTrim(let target, let open):
                return keep(
                    try await store.writer.beginTrim(downTo: target, sparing: open), nil, id)
            case .advanceTrim(let open):
                guard let trim = trims[id] else { throw .closed }
                let step = try await store.writer.advance(trim, sparing: open)
                return keep(step.trim, step.commit, id)
            case .erase(let channel):
                let (commit, erasure) = try await store.writer.erase(channel)
                return .erased(isComplete: erasure == .complete, commit)
            }
        } catch {
            trims[id] = nil
            throw RoostError(error)
        }
    }

    private func keep(
        _ trim: Trim, _ commit: Commit?, _ id: SyncMachine.OperationID
    ) -> CacheTaskAnswer {
        trims[id] = trim.isDone ? nil : trim
        return .trim(
            TrimProgress(
                isDone: trim.isDone, evicted: trim.evicted, sizeBefore: trim.plan.sizeBefore,
                size: trim.size), commit)
    }

    // MARK: Calls of the app

    func cacheSize() async throws(RoostError) -> Int64 {
        do { return try await store.writer.cacheBytes() } catch { throw RoostError(error) }
    }

    func evictionPlan(downTo bytes: Int64?) async throws(RoostError) -> CacheTrim {
        do {
            let plan = try await store.writer.evictionPlan(
                downTo: bytes, sparing: Set(sync.timelines.channels))
            return CacheTrim(
                channels: plan.channels.map { CachedChannel($0) }, sizeBefore: plan.sizeBefore,
                sizeAfter: plan.expectedSize)
        } catch {
            throw RoostError(error)
        }
    }

    func trimCache(downTo bytes: Int64?) async throws(RoostError) -> CacheTrim {
        guard
            case .trimmed(let trim) = try await run(.cacheTrimming(CacheTrimming(downTo: bytes)))
        else { throw .outOfStep }
        return CacheTrim(
            channels: trim.evicted.map { CachedChannel($0) }, sizeBefore: trim.sizeBefore,
            sizeAfter: trim.size)
    }

    /// Removes messages from the cache.
    ///
    /// - Returns: Whether the encryption key of the removed messages is destroyed, if that was
    ///   requested.
    @discardableResult
    func clearCache(_ extent: CacheClearing.Extent) async throws(RoostError) -> Bool {
        guard
            case .erased(let isComplete) = try await run(.cacheClearing(CacheClearing(extent)))
        else { throw .outOfStep }
        return isComplete
    }
}
