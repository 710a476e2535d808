// SPDX-License-Identifier: Apache-2.0

import RoostDoors
import RoostModel
import Testing

/// The messages with files that go on without a connection, as both doors keep them.
struct UploadsInProgressTests {
    @Test func `an upload that ends without a connection goes on by HTTP (R146)`() {
        var uploads = UploadsInProgress()
        uploads.noteBytes(of: "a")
        uploads.noteFile(of: "a", isConnected: false)
        #expect(uploads.contains("a"))
        // With the next connection the message is sent over its socket.
        uploads.noteConnection()
        #expect(uploads.isEmpty)
    }

    @Test func `an upload that ends with a connection is over`() {
        var uploads = UploadsInProgress()
        uploads.noteBytes(of: "a")
        uploads.noteFile(of: "a", isConnected: true)
        #expect(uploads.isEmpty)
    }

    @Test func `a connection ends no upload, and an outcome ends everything`() {
        var uploads = UploadsInProgress()
        uploads.noteBytes(of: "a")
        uploads.noteBytes(of: "b")
        uploads.noteFile(of: "b", isConnected: false)
        uploads.noteConnection()
        #expect(uploads.contains("a") && !uploads.contains("b"))
        uploads.end("a")
        #expect(uploads.isEmpty)
    }

    @Test func `the next file of a message is uploaded, not sent`() {
        var uploads = UploadsInProgress()
        uploads.noteBytes(of: "a")
        uploads.noteFile(of: "a", isConnected: false)
        uploads.noteBytes(of: "a")
        uploads.noteConnection()
        #expect(uploads.contains("a"))
    }
}
