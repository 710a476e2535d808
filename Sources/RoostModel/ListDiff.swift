// SPDX-License-Identifier: Apache-2.0

/// A value before and after a change.
public struct Update<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The value before the change.
    public let before: Value
    /// The value after it.
    public let after: Value

    /// Creates an update.
    public init(before: Value, after: Value) {
        self.before = before
        self.after = after
    }
}

extension Update: Codable where Value: Codable {}

/// An element of a list that can be found again after a change.
public protocol ListElement: Hashable, Sendable {
    /// A name under which an element is found.
    associatedtype Identity: Hashable & Sendable

    /// All names of the element; two elements that share a name are the same element.
    var identities: [Identity] { get }
}

/// The cause of a change in a list.
public enum ChangeOrigin: String, CaseIterable, Codable, Sendable {
    /// The list was opened, moved or paged, and the disk was read.
    case disk
    /// The server answered with a page.
    case page
    /// The catch-up after an absence filled in missing messages.
    case catchUp
    /// The server's change log of an absence was applied.
    case changeLog
    /// A live event arrived.
    case event
    /// The server answered a call of this device.
    case answer
    /// This device acted; the server need not know of it yet.
    case local
    /// The cache was cleared or evicted, or the list was cut to its capacity.
    case upkeep
    /// Another process changed the files, such as an extension of the app.
    case otherProcess
}

/// The changes of one step in a list, without places; the list itself is in the snapshots.
public struct ListDiff<Element: ListElement>: Hashable, Sendable {
    /// The new elements, in list order; steps joined for a slow reader follow one another.
    public package(set) var inserted: [Element] = []
    /// The changed elements; an element that moved is among them.
    public package(set) var updated: [Update<Element>] = []
    /// The removed elements, as they were.
    public package(set) var deleted: [Element] = []
    /// The causes of the step; several if steps were joined for a slow reader or found in one read.
    public package(set) var origins: Set<ChangeOrigin> = []
    /// The values outside the list of elements that an update brought into it or removed from it.
    ///
    /// Such a value of a new element is the one before the update, and of a removed element the one
    /// after it. An element that was merely read has itself here.
    package var counterparts: [Element] = []

    package init() {}

    /// Returns the same step with these origins.
    package consuming func withOrigins(_ origins: Set<ChangeOrigin>) -> ListDiff {
        self.origins = origins
        return self
    }

    /// Returns the value outside the list of a new or a removed element; nil if it is unknown.
    package func counterpart(of element: Element) -> Element? {
        let identities = element.identities
        return counterparts.first { other in other.identities.contains(where: identities.contains) }
    }

    /// Whether the step changes nothing.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

extension ListDiff: Codable where Element: Codable {}

extension Message: ListElement {
    /// A name under which a message is found, before and after its delivery.
    public enum Identity: Hashable, Sendable {
        /// The request ID, known from the send call on.
        case request(RequestID)
        /// The server's ID, known from the delivery on.
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

extension Message: Identifiable {
    /// The identity of a message in a list of views, constant from the send call on.
    ///
    /// The user's own messages have their request ID, other messages their message ID.
    public var id: Identity {
        switch delivery {
        case .unsent(let requestID, _), .delivered(_, let requestID?): .request(requestID)
        case .delivered(let id, nil): .message(id)
        }
    }
}

extension GroupChannel: ListElement {
    /// The channel's URL.
    public var identities: [ChannelURL] { [url] }
}
