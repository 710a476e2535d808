// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs a closure that waits for other processes, away from the shared pool.
enum OwnThread {
    static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}
