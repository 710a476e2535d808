// SPDX-License-Identifier: Apache-2.0

// A stand-in, see README.md.

public import Dispatch

public final class NWPathMonitor: Sendable {
    public init() {}

    public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { nil }
        set {}
    }

    public func start(queue: DispatchQueue) {}
}

public struct NWPath: Sendable {
    public enum Status: Sendable {
        case satisfied
        case unsatisfied
        case requiresConnection
    }

    public let status: Status
}
