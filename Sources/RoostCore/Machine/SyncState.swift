// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// The client's state besides the disk, shared by all operations.
package struct SyncState: Codable, Sendable {
    package let me: UserID
    /// The device's time at the beginning of the present step.
    package var now = Timestamp(milliseconds: 0)
    package var random: SeededRandom

    package var link: Link
    /// The present connection; nil without one.
    package var session: Session?
    /// Whether the pauses of operations are to end, because a connection has just begun.
    var hasConnected = false
    /// The server's time of the first login: all data of this process are newer.
    package private(set) var firstLoginAt: Timestamp?
    /// The server's time of the last login.
    ///
    /// The acknowledgement of a message sent before it is the answer to a retry.
    package private(set) var lastLoginAt: Timestamp?
    /// The changes that older frames in flight must not undo.
    package var recentChanges = RecentChanges()

    package var channelLedger = ChannelLedger()
    /// The changes of messages that were reported while answers without them were in flight.
    package var ledgers: [ChannelURL: FetchLedger] = [:]
    /// The places up to which the change logs have been read.
    package var logPlaces: [CursorKey: ChangeLogPlace] = [:]
    package var rewindings: [CursorKey: Rewindings] = [:]
    package var pacing = RequestPacing()
    /// The channels being looked up; true if the answer in flight may be too old (scar 158).
    package var lookUps: [ChannelURL: Bool] = [:]
    package var unknownChannels = UnknownChannels()
    /// The last time a channel's messages were requested, and the result.
    package var attempts: [ChannelURL: FetchAttempt] = [:]
    /// Whether the server is counting the messages of gaps; one channel is counted at a time.
    var isCounting = false
    /// The channels whose catch-up runs.
    package var catchUps: [ChannelURL: CatchUpWish] = [:]
    /// Those of them that wait for their next attempts.
    package var restingCatchUps = RestingCatchUps()
    var holes = OpenHoles()
    package internal(set) var channelListUpdates = ChannelListUpdates()
    /// The downloads that have not ended.
    package var downloads: [DownloadID: OngoingDownload] = [:]
    package var budget = BudgetWatch()
    package var announcements = Announcements()
    package var marks = ReadMarks()
    package var typing = TypingMachine()
    package var mutes = Mutes()
    package var rooms = OpenRooms()
    package var outbox: Outbox
    /// The answers over the socket for which commands wait.
    package internal(set) var answers: [RequestID: AwaitedAnswer] = [:]
    /// The channels with a commit that the disk refused, until it accepts one; nil is the list of
    /// channels.
    var refused: Set<ChannelURL?> = []
    /// Whether a `DiskRecovery` is running.
    var isTryingDisk = false
    package var timelines = OpenCollections<TimelineID, OpenTimeline>()
    package var lists = OpenCollections<ListID, OpenList>()
    package var inboxes = OpenCollections<InboxID, OpenInbox>()
    /// The number of frames in flight without a waiting operation.
    var framesInFlight = 0
    var indexFilling = IndexFilling.none
    /// The size in bytes at which the cache is trimmed; nil without a limit.
    let cacheLimit: Int64?
    package var notes = HealthNotes()
    /// Whether the app has closed the client; no call waits any more.
    package internal(set) var isClosed = false
    package var step = StepDecisions()

    package init(
        me: UserID, random: SeededRandom, tokenWait: Duration? = nil, cacheLimit: Int64? = nil
    ) {
        self.me = me
        self.cacheLimit = cacheLimit
        self.random = random
        link = Link(tokenWait: tokenWait)
        outbox = Outbox(me: User(id: me))
    }

    /// A wake-up for operations that wait for a condition.
    struct Wake: Equatable, Sendable {
        let condition: Condition
        let error: RoostError?
        /// Whether only the operation that has waited longest is woken.
        let isForFirst: Bool
    }

    mutating func start(_ operation: Operation) { step.starts.append(operation) }

    /// Sends a frame without an operation that waits for it; without a connection it is dropped.
    mutating func send(_ command: ClientCommand) {
        guard session != nil else { return }
        framesInFlight += 1
        step.notices.append(.send(command))
    }

    mutating func wakeFirst(_ condition: Condition) {
        step.wakes.append(Wake(condition: condition, error: nil, isForFirst: true))
    }

    mutating func wakeAll(_ condition: Condition, _ error: RoostError?) {
        step.wakes.append(Wake(condition: condition, error: error, isForFirst: false))
    }

    mutating func begin(_ login: LoginSuccess, _ epoch: LinkMachine.Epoch) {
        let session = Session(epoch: epoch, login: login, now: now)
        firstLoginAt = firstLoginAt ?? session.loginAt
        lastLoginAt = session.loginAt
        recentChanges.beginSession()
        // Answers that outlive their connection are dropped, so no change has to be repeated after
        // them.
        for channel in ledgers.keys { ledgers[channel]?.forget() }
        self.session = session
    }

    /// Returns whether a connection is the present one; false for none.
    package func isPresent(_ epoch: LinkMachine.Epoch?) -> Bool {
        epoch != nil && session?.epoch == epoch
    }
}

/// The decisions of the present step besides the request of the operation itself, in order.
///
/// There are none between two steps, so a journal leaves them out.
package struct StepDecisions: Codable, Sendable {
    /// Operations to start.
    var starts: [Operation] = []
    /// Operations to wake.
    var wakes: [SyncState.Wake] = []
    package var notices: [Notice] = []

    var isEmpty: Bool { starts.isEmpty && wakes.isEmpty && notices.isEmpty }

    init() {}

    package init(from decoder: any Decoder) throws {}

    package func encode(to encoder: any Encoder) throws { _ = encoder.unkeyedContainer() }
}

/// The last request for messages of a channel.
package struct FetchAttempt: Equatable, Codable, Sendable {
    /// By the device's clock.
    package let at: Timestamp
    /// Nil if the server answered.
    package let failure: RoostError.Code?
}

/// A decision that concerns another part of the client.
package enum Notice: Equatable, Sendable {
    case openSocket(LinkMachine.Epoch, sessionKey: String?, isInForeground: Bool)
    case closeSocket
    /// Asks the app for a token; the answer is an input of the link.
    case askToken(LinkMachine.Epoch)
    /// Messages could not be read and are gone from the cache; the shell writes the event's
    /// sentence, because a replay knows only a name for the channel.
    case forgotten(messages: Int, in: ChannelURL)
    /// Puts messages into the search index that it lacks; `.indexFilled` reports the end.
    case fillIndex
    /// The state of the connection has changed, with the reason of the last loss.
    case connection(LinkMachine.State, RoostError?)
    /// An event for the app.
    case event(ChatEvent)
    case outbox(OutboxEvent)
    /// Copies of files that no item names any more.
    case deleteFiles([CopiedFile])
    /// Moves the copy of an uploaded file to the downloaded files, so that its sender has it.
    case keepUploaded(CopiedFile, at: String)
    case cancelUpload(RequestID)
    /// A frame without a waiting operation: it may be lost with the connection.
    ///
    /// `.frameSent` reports its end.
    case send(ClientCommand)
    /// Starts or restarts a timer.
    case arm(MachineTimer, Duration)
    case disarm(MachineTimer)
    case timelineChanged(TimelineID, ListDiff<Message>)
    case listChanged(ListID, ListDiff<GroupChannel>)
    case downloadChanged(DownloadID, DownloadProgress)
    /// The server refuses to show a timeline's channel.
    case refused(TimelineID, RoostError)
}

// MARK: - Answers in flight

extension SyncState {
    /// Begins to record the changes that overtake an answer about a channel's messages.
    ///
    /// - Returns: The number for `news`.
    package mutating func beginFetch(of channel: ChannelURL) -> Int {
        ledgers[channel, default: FetchLedger()].begin()
    }

    /// Returns the changes that have overtaken the answer of a fetch.
    package func news(of channel: ChannelURL, since beginning: Int) -> FetchLedger {
        ledgers[channel]?.since(beginning) ?? FetchLedger()
    }

    package mutating func endFetch(of channel: ChannelURL) {
        ledgers[channel]?.end()
        if ledgers[channel]?.isIdle == true { ledgers[channel] = nil }
    }

    /// Notes a deletion that the server has reported.
    mutating func noteDeletion(of message: MessageID, in channel: ChannelURL) {
        ledgers[channel]?.note(deletionOf: message)
        // The answer to a deletion may overtake the frame of the message, and a repeated send may
        // be acknowledged with it.
        recentChanges.note(edited: [], deleted: [message], in: channel)
        session?.holeSizes.drop(channel)
    }

    /// Notes a request for a channel's messages.
    package mutating func noteAttempt(in channel: ChannelURL, _ failure: RoostError?) {
        attempts[channel] = FetchAttempt(at: now, failure: failure?.code)
        unknownChannels.note(failure, of: channel)
    }

    /// Notes that the user has left or lost a channel: answers in flight are of an earlier time.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - isLeaving: Whether open lists report the channel as left; false if it was deleted, or
    ///     the server only denies it.
    package mutating func noteDeparture(from channel: ChannelURL, isLeaving: Bool = true) {
        if isLeaving { lists.changeEach { $1?.noteLeaving(channel) } }
        channelLedger.note(departureFrom: channel)
        ledgers[channel]?.noteDeparture()
        session?.loseEnd(of: channel)
        session?.holeSizes.drop(channel)
        if !timelines.ids(of: channel).isEmpty { session?.absences.note(channel) }
        endMute(in: channel)
        discardDrafts(in: channel)
        discardMarks(in: channel)
        forgetNotes(of: channel)
    }

    /// Forgets the notes of a channel that outlive its connection; a new membership makes new ones.
    private mutating func forgetNotes(of channel: ChannelURL) {
        budget.forget(channel)
        marks.forget(channel)
        let log = CursorKey.messageChanges(channel)
        logPlaces[log] = nil
        // The end of a rewinding that is under way is counted, too.
        if rewindings[log]?.underWay == 0 { rewindings[log] = nil }
        // An open timeline reports the last failure to its callers.
        if timelines.ids(of: channel).isEmpty { attempts[channel] = nil }
    }

    /// Accepts the channels of an answer, and notes them, because other answers in flight may be
    /// older.
    ///
    /// - Returns: The mutations, and the channels that must be looked up.
    package mutating func accept(
        _ channels: [GroupChannel], since mark: ChannelLedger.Mark
    ) -> (mutations: [Mutation], stale: [ChannelURL]) {
        let (fresh, stale) = channelLedger.parted(channels, since: mark)
        for channel in fresh { channelLedger.note(changeOf: channel.url) }
        followReturns(to: fresh)
        return ([.channels(fresh)], stale)
    }
}

extension FetchLedger {
    /// Returns the changes that overtook messages in flight, to be committed after them.
    package func mutations(amending messages: [Message], in channel: ChannelURL) -> [Mutation] {
        amendments(to: messages).map { id, amendment in
            switch amendment {
            case .reaction(let change, let isLate): .reacted(channel, id, change, isLate: isLate)
            case .thread(let info): .replied(channel, id, info)
            case .poll(let change): .polled(channel, id, change)
            }
        }
    }
}
