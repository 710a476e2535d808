// SPDX-License-Identifier: Apache-2.0

/// The health of a client at one moment: its connection, its catch-up, its unsent messages and its
/// cache.
///
/// All moments are of the device's clock, so that the value changes only when the client does.
public struct Health: Hashable, Sendable {
    /// The connection, and the moment of the next attempt.
    public var connection = Connection()
    /// The work of the client to have what happened while it was away.
    public var catchUp = CatchUp()
    /// The messages and changes that the server does not have.
    public var outbox = Outbox()
    /// The cache on disk.
    public var cache = Cache()
    /// The damage found since the client was opened.
    public var damage = Damage()
    /// Whether the files are closed by `suspend()`, so that reads and writes wait for `resume()`.
    public var isSuspended = false

    /// Creates the health of a client that was just opened.
    public init() {}

    /// Whether the client is connected, has caught up and sent everything, and works on nothing.
    ///
    /// Failed messages do not count, because they wait for their user.
    public var isSettled: Bool {
        connection.state == .connected && catchUp.isSettled && outbox.pending == 0
            && cache.refusal == nil && !damage.isBeingRepaired && !isSuspended
    }
}

extension Health {
    /// The connection of a client.
    public struct Connection: Hashable, Sendable {
        /// The state of a connection.
        public enum State: String, Hashable, Sendable, CaseIterable {
            /// No connection is requested.
            case disconnected
            /// The socket is being opened, or the login is not answered yet.
            case connecting
            /// The server has refused the token, and the app was asked for another.
            case awaitingToken = "awaiting_token"
            /// The server has accepted the login.
            case connected
            /// The next attempt is at `nextAttempt`.
            case waiting
            /// The next attempt begins when the device has a network.
            case awaitingNetwork = "awaiting_network"
            /// The next attempt begins when the app is in the foreground.
            case asleep
            /// The server has refused for good; the app has to connect again, perhaps with another
            /// token.
            case refused
        }

        /// The state of the connection.
        public var state = State.disconnected
        /// The number of the current or next attempt, from 1; 0 while none is due.
        public var attempt = 0
        /// The moment of the next attempt; nil if no time is set for one.
        public var nextAttempt: Timestamp?
        /// The reason of the last loss or refusal; nil while connected.
        public var failure: RoostError?
        /// The moment at which the connection began, or was lost; nil before the first one.
        public var since: Timestamp?

        /// Creates the state of a client that has never connected.
        public init() {}
    }

    /// The work of a client to have what happened while it was away.
    public struct CatchUp: Hashable, Sendable {
        /// The state of the list of the user's channels on disk.
        public enum ChannelList: String, Hashable, Sendable, CaseIterable {
            /// There is no connection, so the list may be out of date.
            case offline
            /// The changes of the user's channels are being read.
            case reading
            /// The rest of the user's channels is being fetched, page by page.
            case fetching
            /// A request has failed, and is repeated at `nextAttempt`.
            case waiting
            /// A request was refused in a way that no repetition helps; the next connection makes
            /// another.
            case behind
            /// The disk has all channels, and live events keep them current.
            case current
        }

        /// The state of the list of the user's channels.
        public var channelList = ChannelList.offline
        /// The number of channels that were fetched for the list on this connection.
        public var fetchedChannels = 0
        /// The number of channels whose missing messages are being fetched.
        public var running = 0
        /// The number of channels whose next attempt waits for its time.
        public var waiting = 0
        /// The number of catch-ups of channels that have ended on this connection.
        public var finished = 0
        /// The number of channels that are being looked up, because an event did not describe them.
        public var lookUps = 0
        /// The number of downloads of history that have not ended.
        public var downloads = 0
        /// The earliest moment of a next attempt; nil if nothing waits for one.
        public var nextAttempt: Timestamp?

        /// Creates the state of a client without a connection.
        public init() {}

        /// Whether the client has caught up, and fetches no history.
        public var isSettled: Bool {
            channelList == .current && running + waiting + lookUps + downloads == 0
        }
    }

    /// The messages and changes that the server does not have.
    public struct Outbox: Hashable, Sendable {
        /// The number of those that are sent without an action of the user.
        public var pending = 0
        /// The number of those that have failed, and wait for the user to send them again or to
        /// cancel them.
        public var failed = 0
        /// The oldest one that is to be sent; nil for none.
        public var oldest: Unsent?

        /// Creates the state of an empty outbox.
        public init() {}
    }

    /// A message or change that is to be sent.
    public struct Unsent: Hashable, Sendable {
        /// The request ID of the message or change.
        public var id: RequestID
        /// The channel.
        public var channel: ChannelURL
        /// Whether it is a change, such as an edit or a reaction.
        public var isChange: Bool
        /// The moment of the call that wrote it.
        public var createdAt: Timestamp
        /// The reason why it is not sent yet; nil if it is about to be sent.
        public var wait: Wait?

        /// Creates a message or change.
        public init(
            id: RequestID, channel: ChannelURL, isChange: Bool, createdAt: Timestamp, wait: Wait?
        ) {
            self.id = id
            self.channel = channel
            self.isChange = isChange
            self.createdAt = createdAt
            self.wait = wait
        }
    }

    /// The reason why a message or change is not sent yet.
    public enum Wait: Hashable, Sendable {
        /// There is no connection.
        case connection
        /// The app has closed the files by `suspend()`.
        case suspension
        /// Another process of the app has the turn to send.
        case turn
        /// The missing messages of the channel are fetched first; it may be among them.
        case catchUp
        /// An earlier message or change of the channel is sent first, or a change waits for its
        /// message.
        case earlier(RequestID)
        /// A change waits for a message that the server may have and this device does not: canceled or
        /// deleted while it was on its way, or sent by another process.
        ///
        /// Without the message the change is given up after three days.
        case arrival(RequestID)
        /// A change waits for a failed message, so for a decision of the user.
        case user
        /// Its files are being uploaded.
        case upload
        /// The server has not answered yet.
        case answer
        /// The server limits the rate; the next attempt is at this moment.
        case rateLimit(until: Timestamp)
        /// The last attempt failed; the next one is at this moment.
        case retry(at: Timestamp)
        /// As many channels as possible are sending already.
        case place
        /// The failure of the message before it is not on disk yet, because the disk refuses writes.
        case disk

        /// The reason in one word, for logs and scripts.
        public var name: String {
            switch self {
            case .connection: "connection"
            case .suspension: "suspension"
            case .turn: "turn"
            case .catchUp: "catch_up"
            case .earlier: "earlier"
            case .arrival: "arrival"
            case .user: "user"
            case .upload: "upload"
            case .answer: "answer"
            case .rateLimit: "rate_limit"
            case .retry: "retry"
            case .place: "place"
            case .disk: "disk"
            }
        }

        /// The moment of the next attempt; nil if no time is set for one.
        public var nextAttempt: Timestamp? {
            switch self {
            case .rateLimit(let moment), .retry(let moment): moment
            case .connection, .suspension, .turn, .catchUp, .earlier, .arrival, .user, .upload,
                .answer, .place, .disk:
                nil
            }
        }
    }

    /// The cache on disk.
    public struct Cache: Hashable, Sendable {
        /// The bytes in use, as the limit counts them; nil until they are known.
        ///
        /// The number is renewed at most every five seconds.
        public var size: ByteCount?
        /// The size at which channels are evicted; nil without a limit.
        public var limit: ByteCount?
        /// The number of channels whose cached history has a hole between two parts; nil until it is
        /// known.
        public var channelsWithHoles: Int?
        /// The number of pages of history that the app asked for and the disk had.
        public var pagesFromDisk = 0
        /// The number of pages of history that the app asked for and the disk lacked, at least in
        /// part.
        public var pagesFromServer = 0
        /// The reason why the disk has refused the last write of the cache or of unsent messages; nil
        /// if it has not.
        ///
        /// The disk may be full, or locked with the device, or the key of an encrypted cache may be
        /// out of reach; the message says which.
        public var refusal: RoostError?

        /// Creates the state of a cache of which nothing is known.
        public init() {}
    }

    /// The damage found since the client was opened; the opening itself counts.
    public struct Damage: Hashable, Sendable {
        /// Whether a damaged cache is being checked and repaired.
        public var isBeingRepaired = false
        /// The number of repairs.
        public var repairs = 0
        /// The number of cached messages that could not be read; they are fetched again.
        public var lostMessages = 0

        /// Creates the state without damage.
        public init() {}
    }
}
