// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTransport
import Synchronization
import Testing

@testable import RoostURLSession

struct BodyStreamTests {
    /// A stream that its own body closes.
    ///
    /// - Invariant: Used on the thread of its test, which reads.
    private final class Holder: @unchecked Sendable {
        var stream: BodyStream?
    }

    @Test(arguments: [nil, [], [1]] as [[UInt8]?])
    func `a piece that is read during the close leaves the stream closed`(piece: [UInt8]?) {
        let holder = Holder()
        let monitor = UploadMonitor()
        let failures = Mutex(0)
        monitor.onFailure { failures.withLock { $0 += 1 } }
        let stream = BodyStream(
            HTTPBody(length: 1) {
                holder.stream?.close()
                return piece
            }, watchedBy: monitor)
        holder.stream = stream
        stream.open()
        var buffer: [UInt8] = [0]
        // SAFETY: the buffer has room for the one byte.
        let count = unsafe stream.read(&buffer, maxLength: 1)
        holder.stream = nil
        #expect(count == -1)
        #expect(stream.streamStatus == .closed)
        #expect(failures.withLock { $0 } == 0)
    }
}
