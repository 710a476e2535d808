// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// An event for the delegate of a message collection.
package enum MessageCollectionEvent: Sendable {
    case messages(TimelineDriver.Event)
    case channel(ChannelListDriver.Event)
}

/// The messages and the channel behind a message collection of either old library.
package final class MessageCollectionCore<Owner: AnyObject, Object>: Sendable {
    private let door: Door
    private let feed = Feed<Owner, MessageCollectionEvent>()
    private let driver: TimelineDriver
    private let watched: WatchedChannel
    private let lists = MessageLists<Object>()

    /// Creates a core; `pageSize` is the size of a page, nil for the client's.
    package init(
        _ door: Door, _ channel: GroupChannel, startingAt start: Timestamp, isInclusive: Bool,
        filter: MessageFilter, pageSize: Int?
    ) {
        self.door = door
        driver = TimelineDriver(
            door, channel: channel.url, startingAt: start, isInclusive: isInclusive,
            filter: filter, pageSize: pageSize
        ) { [feed] event in feed.post(.messages(event), on: door) }
        watched = WatchedChannel(door, channel) { [feed] event in
            feed.post(.channel(event), on: door)
        }
    }

    /// Begins the delivery of events on the app's queue, as long as the collection lives.
    package func attach(
        _ collection: Owner,
        _ notify: @escaping (Owner, MessageCollectionEvent) -> Void
    ) {
        feed.attach(collection, while: driver.isForPresentUser, notify)
    }

    /// Whether the collection gets events; false after `close()`.
    package var isOpen: Bool { feed.isOpen }

    /// The channel as it is now, and the moment of this value.
    package var channel: (value: GroupChannel, moment: KeptChannels.Moment) { watched.latest }

    package var view: TimelineDriver.View { driver.view }

    /// Returns the objects of one group of the messages; they are made once after a change.
    package func objects(_ group: MessageGroup, _ make: ([Message]) -> [Object]) -> [Object] {
        driver.objects(group, from: lists, make)
    }

    /// Loads the messages of the cache, then those of the server, and follows the channel.
    package func start(
        cache: Callback<Result<[Message], RoostError>>,
        server: Callback<Result<[Message], RoostError>>
    ) {
        door.start { [door, driver, watched] in
            await driver.load(.opening) { door.notify(cache, $0) }
            // The channel is read beside the messages, which arrive even without it.
            door.start { await watched.load() }
            await driver.load(.server) { door.notify(server, $0) }
        }
    }

    /// Loads a page in one direction.
    package func load(
        _ direction: TimelineDriver.Direction,
        then callback: Callback<Result<[Message], RoostError>>
    ) {
        door.start { [door, driver] in
            await driver.load(.page(direction)) { door.notify(callback, $0) }
        }
    }

    /// Ends the delivery of events, and closes the messages and the channel.
    package func close() {
        feed.close()
        door.start { [driver, watched] in
            await driver.close()
            await watched.close()
        }
    }
}
