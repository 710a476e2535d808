// SPDX-License-Identifier: Apache-2.0

/// A value before and after.
public struct Update<Value: Hashable & Sendable>: Hashable, Sendable {
    public let before: Value
    public let after: Value

    public init(before: Value, after: Value) {
        self.before = before
        self.after = after
    }
}

/// Something a list shows and that can be found again after it changed.
public protocol ListElement: Hashable, Sendable {
    associatedtype Identity: Hashable & Sendable

    /// Every name it is known by; two elements that share one are the same element.
    var identities: [Identity] { get }
}

/// Why a list changed.
public enum ChangeOrigin: String, CaseIterable, Codable, Sendable {
    /// The disk was read: the list was opened, moved or paged.
    case disk
    /// The server was asked for a page.
    case page
    /// What was missed during an absence was filled in.
    case catchUp
    /// The server's log of changes during an absence.
    case changeLog
    /// It happened just now.
    case event
    /// The server's answer to something done on this device.
    case answer
    /// Something done on this device, of which the server need not know yet.
    case local
    /// The cache was cleared or kept to its size, or a list to its capacity.
    case upkeep
    /// Another process changed the files, as an app's extension does.
    case otherProcess
}

/// What one step changed in a list; applying every step rebuilds the list.
public struct ListDiff<Element: ListElement>: Hashable, Sendable {
    /// In list order; when several steps were joined for a slow reader, in the order of the steps.
    public package(set) var inserted: [Element] = []
    /// Includes elements that moved.
    public package(set) var updated: [Update<Element>] = []
    public package(set) var deleted: [Element] = []
    /// Where it came from; several when steps were joined for a slow reader, or were found in one read.
    public package(set) var origins: Set<ChangeOrigin> = []

    package init() {}

    /// The same step with its origins.
    package consuming func told(from origins: Set<ChangeOrigin>) -> ListDiff {
        self.origins = origins
        return self
    }

    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

extension Message: ListElement {
    /// A name a message is found by before and after its delivery.
    public enum Identity: Hashable, Sendable {
        case request(RequestID)
        case message(MessageID)
    }

    /// The request ID and the message ID, as far as they are known.
    public var identities: [Identity] {
        switch delivery {
        case .unsent(let requestID, _): [.request(requestID)]
        case .delivered(let id, let requestID?): [.message(id), .request(requestID)]
        case .delivered(let id, nil): [.message(id)]
        }
    }
}

extension GroupChannel: ListElement {
    public var identities: [ChannelURL] { [url] }
}
