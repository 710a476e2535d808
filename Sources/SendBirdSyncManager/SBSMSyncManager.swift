// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel
// Apps written for the old library import this module only, and use both.
@_exported public import SendBirdSDK

/// The sync manager's error codes, besides those of the library.
public enum SBSMErrorCode: Int, Sendable {
    /// The database cannot be read or written.
    case databaseError = 810001
    /// `setup(withUserId:)` was not called.
    case setupRequired = 810100
    /// A page in this direction is being fetched already.
    case duplicatedFetch = 810200
    /// An argument is invalid.
    case invalidParameter = 810300
    /// The period of a fetch is invalid.
    case invalidTimeRange = 810305
}

/// The treatment of messages that could not be sent for lack of a connection.
public enum SBSMMessageResendPolicy: Int, Sendable {
    /// They fail and are deleted at once.
    case none
    /// They fail and stay until the app sends them again.
    case manual
    /// They wait for a connection, three days at most.
    case automatic
}

/// The settings of the sync manager; `setup(withUserId:options:)` copies them.
public final class SBSMSyncManagerOptions: NSObject {
    /// The number of messages that a collection holds in memory, at least 160.
    ///
    /// Beyond it the delegate gets `.remove` for messages at the far end. If those are the newest,
    /// live messages come again after `fetch(in: .next)` has reached the end.
    public var messageCollectionCapacity: UInt = 1_000
    /// The treatment of messages that could not be sent.
    public var messageResendPolicy = SBSMMessageResendPolicy.automatic
    /// The number of retries of a message whose connection was lost; at most 50.
    public var automaticResendMessageRetryCount: UInt = 10
    /// The same number under the old library's other name.
    public var automaticMessageResendRetryCount: UInt {
        get { automaticResendMessageRetryCount }
        set { automaticResendMessageRetryCount = newValue }
    }
    /// The number of failed messages that a channel keeps; the oldest are deleted first.
    public var maxFailedMessageCountPerChannel: UInt = 20
    /// The number of days that a failed message is kept, after the three days it may have waited.
    public var failedMessageRetentionDays: UInt = 3

    public override init() {}
}

/// The sync manager; every instance is the same one.
///
/// While it synchronises, it downloads the whole history of each open message collection. Live
/// messages arrive in any case. A collection at the newest messages that has missed more than 300
/// begins anew: its delegate gets `.clear`, then `.insert` with the newest page.
public final class SBSMSyncManager: NSObject {
    struct State {
        /// The user of the set-up; nil before it.
        var user: UserID?
        /// Whether a set-up has named the user.
        var isNamed = false
        var resending: Resending?
        var isSynchronizing = false
        /// The number of messages that a collection holds in memory.
        var capacity = 1_000
        var completionQueue: CallbackQueue?
        var delegateQueue: CallbackQueue?
        var downloads: [ObjectIdentifier: BackgroundSync] = [:]
    }

    static let state = Guarded(State())
    private static let shared = Carried(SBSMSyncManager())

    /// Returns the sync manager, and opens the database of the connected user unless a set-up has
    /// named one.
    public override init() {
        super.init()
        Self.adopt()
    }

    /// Returns the sync manager, as `init()` does; each call returns the same object.
    public class func manager() -> SBSMSyncManager {
        adopt()
        return shared.value
    }

    public override func isEqual(_ object: Any?) -> Bool { object is SBSMSyncManager }

    public override var hash: Int { 0 }

    // MARK: Setting up

    /// Opens the user's database; call it at launch, before any connection.
    ///
    /// Application and server may be set later: the database is opened then. Without a set-up the
    /// first `SBSMSyncManager()` after each user's `SBDMain.connect` takes over that user.
    public class func setup(withUserId userId: String) {
        setup(withUserId: userId, options: SBSMSyncManagerOptions())
    }

    /// Opens the user's database with settings; call it at launch, before any connection.
    ///
    /// A second set-up replaces the first one: its settings count from then on. With another user
    /// it ends the synchronisation too, and collections of the first user get no more events. The
    /// settings hold for each later opening of the user's database, too.
    public class func setup(withUserId userId: String, options: SBSMSyncManagerOptions) {
        state.withLock { $0.isNamed = true }
        begin(UserID(userId), options, prepares: true)
    }

    /// Takes over the user of the library, unless a set-up has named one.
    private static func adopt() {
        guard let user = SBDMain.door.account,
            state.withLock({ !$0.isNamed && $0.user != user })
        else { return }
        begin(user, SBSMSyncManagerOptions(), prepares: false)
    }

    private static func begin(_ user: UserID, _ options: SBSMSyncManagerOptions, prepares: Bool) {
        let capacity = Int(clamping: options.messageCollectionCapacity)
        let door = SBDMain.door
        let resending = Resending(door, Resending.Limits(options))
        let resends = options.messageResendPolicy == .automatic
        let (before, ended, kept) = state.withLock { state in
            let before = state.resending
            var ended: [BackgroundSync] = []
            if let named = state.user, named != user {
                ended = state.downloads.values.filter { $0.account != user }
                state.downloads = state.downloads.filter { $0.value.account == user }
                state.isSynchronizing = false
            }
            (state.user, state.capacity, state.resending) = (user, capacity, resending)
            // Collections made before the first set-up download with it.
            let kept = state.isSynchronizing ? Array(state.downloads.values) : []
            return (before, ended, kept)
        }
        before?.end()
        for download in ended { download.stop() }
        door.accompany(user, resendsUnsent: resends, prepares: prepares) {
            await resending.follow($0)
        }
        for download in kept { download.resume() }
    }

    /// Sets the queue on which completion handlers are called; nil for the library's queue.
    ///
    /// The handler of a fetch comes after the page only if delegates are called on the same queue.
    public class func setCompletionQueue(_ queue: DispatchQueue?) {
        let queue = queue.map { CallbackQueue($0) }
        state.withLock { $0.completionQueue = queue }
    }

    /// Sets the queue on which delegates are called; nil for the library's queue.
    public class func setDelegateQueue(_ queue: DispatchQueue?) {
        let queue = queue.map { CallbackQueue($0) }
        state.withLock { $0.delegateQueue = queue }
    }

    // MARK: Synchronising

    /// Starts or continues the download of history; call it after each connection.
    public class func resumeSynchronize() {
        adopt()
        let downloads = state.withLock { state in
            state.isSynchronizing = true
            return Array(state.downloads.values)
        }
        for download in downloads { download.resume() }
    }

    /// Stops the download of history; live messages continue to arrive.
    public class func pauseSynchronize() {
        let downloads = state.withLock { state in
            state.isSynchronizing = false
            return Array(state.downloads.values)
        }
        for download in downloads { download.pause() }
    }

    /// Continues every download that has failed or was paused.
    public class func forceResumeSync() { resumeSynchronize() }

    /// Removes the user's cache.
    ///
    /// After `SBDMain.disconnect` it clears the user's whole database: unsent messages are removed
    /// too, and are not sent at the next login. At any other time unsent messages stay.
    public class func clearCache() {
        let door = SBDMain.door
        let isWhole = door.isLoggedOut
        door.performInOrder(then: .none) { client throws(RoostError) in
            do throws(RoostError) {
                try await client.clearCache(includingUnsent: isWhole)
            } catch {
                door.log.note(.error, "The cache was not cleared: \(error.message)")
                throw error
            }
            // The downloads that have finished begin anew.
            let emptied = state.withLock { $0.isSynchronizing ? Array($0.downloads.values) : [] }
            for download in emptied { download.resume() }
        }
    }

    /// Starts or continues the download of history; call it after each connection.
    public func resumeSynchronize() { Self.resumeSynchronize() }
    /// Stops the download of history; live messages continue to arrive.
    public func pauseSynchronize() { Self.pauseSynchronize() }
    /// Removes the user's cache; after a logout unsent messages too.
    public func clearCache() { Self.clearCache() }

    /// Starts or continues the download of history; the name in the old guide's text.
    public func resumeSynchronization() { Self.resumeSynchronize() }
    /// Stops the download of history; the name in the old guide's text.
    public func pauseSynchronization() { Self.pauseSynchronize() }
    /// Starts or continues the download of history; the name in the old guide's text.
    public class func resumeSynchronization() { resumeSynchronize() }
    /// Stops the download of history; the name in the old guide's text.
    public class func pauseSynchronization() { pauseSynchronize() }

    // MARK: For the collections

    static var capacity: Int { state.withLock { $0.capacity } }

    /// The error before a user is named, by `setup(withUserId:)` or `init()`; nil afterwards.
    static var setupError: RoostError? {
        guard state.withLock({ $0.user }) == nil else { return nil }
        return RoostError(
            RoostError.Code(SBSMErrorCode.setupRequired.rawValue), remedy: .correctInput,
            message: "Call SBSMSyncManager.setup(withUserId:) first.")
    }

    static func onCompletionQueue(_ work: @escaping @Sendable () -> Void) {
        (state.withLock { $0.completionQueue } ?? SBDMain.door.queue).async(work)
    }

    static func onDelegateQueue(_ work: @escaping @Sendable () -> Void) {
        (state.withLock { $0.delegateQueue } ?? SBDMain.door.queue).async(work)
    }
}
