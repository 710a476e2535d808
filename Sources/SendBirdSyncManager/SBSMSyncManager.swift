// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel
// Whoever wrote against the old library imported this one only, and had both.
@_exported public import SendBirdSDK

/// What the sync manager's errors say besides those of the library.
public enum SBSMErrorCode: Int, Sendable {
    /// The database cannot be read or written.
    case databaseError = 810001
    /// `setup(withUserId:)` was not called.
    case setupRequired = 810100
    /// A page in this direction is on its way already.
    case duplicateFetch = 810200
    case invalidParameter = 810300
    case invalidTimeRange = 810305
}

/// What becomes of messages that could not be sent for want of a connection.
public enum SBSMMessageResendPolicy: Int, Sendable {
    /// They have failed, and are forgotten at once.
    case none
    /// They have failed, and stay until the app sends them again.
    case manual
    /// They wait for a connection, three days at most.
    case automatic
}

/// Settings of the old manager; they count as they are at `setup`.
public final class SBSMSyncManagerOptions: NSObject {
    /// How many messages a collection holds in memory; those farthest from where it grows leave it.
    public var messageCollectionCapacity: UInt = 1_000
    public var messageResendPolicy = SBSMMessageResendPolicy.automatic
    /// How often a message that the connection was lost under is tried again, 50 times at most.
    public var automaticMessageResendRetryCount: UInt = 10
    /// How many failed messages a channel keeps; the oldest go first.
    public var maxFailedMessageCountPerChannel: UInt = 20
    /// How many days a failed message is kept behind the three that it may have waited.
    public var failedMessageRetentionDays: UInt = 3

    public override init() {}
}

/// The one manager: every instance is it.
///
/// While it synchronises, the history of each open message collection is downloaded to its beginning.
/// What happens live comes in any case. A collection at the newest end that has missed more than 300 messages
/// begins anew there: its delegate hears `.clear`, and `.insert` with the newest page.
public final class SBSMSyncManager: NSObject {
    struct State {
        var isSetUp = false
        var isSynchronizing = false
        var options: Carried<SBSMSyncManagerOptions>?
        var completionQueue: CallbackQueue?
        var delegateQueue: CallbackQueue?
        var downloads: [ObjectIdentifier: BackgroundSync] = [:]
    }

    static let state = Guarded(State())

    public override init() {}

    public class func manager() -> SBSMSyncManager { SBSMSyncManager() }

    public override func isEqual(_ object: Any?) -> Bool { object is SBSMSyncManager }

    public override var hash: Int { 0 }

    // MARK: Setting up

    /// Opens the user's database; to be called at launch, before any connection.
    public class func setup(withUserId userId: String) {
        setup(withUserId: userId, options: SBSMSyncManagerOptions())
    }

    public class func setup(withUserId userId: String, options: SBSMSyncManagerOptions) {
        let carried = Carried(options)
        state.withLock { state in
            state.isSetUp = true
            state.options = carried
        }
        let door = SBDMain.door
        door.open(UserID(userId))
        let (client, limits) = (door.clientOfNow, Resending.Limits(options))
        door.start {
            guard let client = try? await client() else { return }
            await Resending(door, limits).follow(client)
        }
    }

    /// Where completion handlers are called; nil for the library's queue.
    public class func setCompletionQueue(_ queue: DispatchQueue?) {
        let queue = queue.map { CallbackQueue($0) }
        state.withLock { $0.completionQueue = queue }
    }

    /// Where delegates are called; nil for the library's queue.
    public class func setDelegateQueue(_ queue: DispatchQueue?) {
        let queue = queue.map { CallbackQueue($0) }
        state.withLock { $0.delegateQueue = queue }
    }

    // MARK: Synchronising

    /// To be called when connected, and when connected again.
    public class func resumeSynchronize() {
        let downloads = state.withLock { state in
            state.isSynchronizing = true
            return Array(state.downloads.values)
        }
        for download in downloads { download.resume() }
    }

    /// Stops the download of history; what happens live goes on coming.
    public class func pauseSynchronize() {
        let downloads = state.withLock { state in
            state.isSynchronizing = false
            return Array(state.downloads.values)
        }
        for download in downloads { download.pause() }
    }

    /// Begins again whatever stopped, because it failed or was paused.
    public class func forceResumeSync() { resumeSynchronize() }

    /// Forgets the user's cache; what waits to be sent stays.
    public class func clearCache() {
        SBDMain.door.perform(then: .none) { client throws(RoostError) in
            try await client.clearCache(includingUnsent: false)
        }
    }

    public func resumeSynchronize() { Self.resumeSynchronize() }
    public func pauseSynchronize() { Self.pauseSynchronize() }
    public func clearCache() { Self.clearCache() }

    /// The name of the old guide's prose.
    public func resumeSynchronization() { Self.resumeSynchronize() }
    /// The name of the old guide's prose.
    public func pauseSynchronization() { Self.pauseSynchronize() }
    public class func resumeSynchronization() { resumeSynchronize() }
    public class func pauseSynchronization() { pauseSynchronize() }

    // MARK: For the collections

    static var capacity: Int {
        let options = state.withLock { $0.options }
        return options.map { Int(clamping: $0.value.messageCollectionCapacity) } ?? 1_000
    }

    /// Nil once `setup` was called.
    static var setupError: RoostError? {
        guard !state.withLock({ $0.isSetUp }) else { return nil }
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
