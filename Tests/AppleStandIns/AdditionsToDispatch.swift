// SPDX-License-Identifier: Apache-2.0

// A stand-in, see README.md: Dispatch's parts for Apple platforms only.

internal import Dispatch

protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {}

extension DispatchSource {
    static func makeFileSystemObjectSource(
        fileDescriptor: Int32, eventMask: DispatchSource.FileSystemEvent,
        queue: DispatchQueue? = nil
    ) -> any DispatchSourceFileSystemObject {
        preconditionFailure("A stand-in does not run.")
    }
}
