// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostModel

/// An open channel; the client knows none, so every call about one fails.
open class OpenChannel: BaseChannel {
    private static let sentence = "The client knows no open channels."

    open override class func build(fromSerializedData data: Data?) -> Self? { nil }

    public override var channelType: ChannelType { .open }
    /// The number of participants; always 0.
    public var participantCount: Int { 0 }
    /// The operators; always nil.
    public var operators: [User]? { nil }

    /// Returns whether a user is an operator; always false.
    public func isOperator(user: User) -> Bool { false }

    /// Returns whether a user is an operator; always false.
    public func isOperator(userId: String) -> Bool { false }

    /// Fails, because the client knows no open channels.
    public class func getChannel(
        url: String, completionHandler: ((OpenChannel?, SBError?) -> Void)?
    ) { SendbirdChat.door.refuse(completionHandler, sentence) }

    /// Fails, because the client knows no open channels.
    public class func createChannel(
        completionHandler: ((OpenChannel?, SBError?) -> Void)?
    ) { SendbirdChat.door.refuse(completionHandler, sentence) }

    /// Fails, because the client knows no open channels.
    public class func createChannel(
        params: OpenChannelCreateParams, completionHandler: ((OpenChannel?, SBError?) -> Void)?
    ) { SendbirdChat.door.refuse(completionHandler, sentence) }

    /// Fails, because the client knows no open channels.
    public class func createChannel(
        params: OpenChannelCreateParams, progressHandler: ProgressHandler?,
        completionHandler: ((OpenChannel?, SBError?) -> Void)?
    ) { SendbirdChat.door.refuse(completionHandler, sentence) }

    /// Fails, because the client knows no open channels.
    public func enter(completionHandler: SBErrorHandler?) {
        SendbirdChat.door.refuse(completionHandler, Self.sentence)
    }

    /// Fails, because the client knows no open channels.
    public func exit(completionHandler: SBErrorHandler?) {
        SendbirdChat.door.refuse(completionHandler, Self.sentence)
    }

    /// Fails, because the client knows no open channels.
    public func update(
        params: OpenChannelUpdateParams,
        completionHandler: ((OpenChannel?, SBError?) -> Void)?
    ) { SendbirdChat.door.refuse(completionHandler, Self.sentence) }

    /// Fails, because the client knows no open channels.
    public func delete(completionHandler: SBErrorHandler?) {
        SendbirdChat.door.refuse(completionHandler, Self.sentence)
    }

    /// Fails, because the client knows no open channels.
    public func refresh(completionHandler: SBErrorHandler?) {
        SendbirdChat.door.refuse(completionHandler, Self.sentence)
    }

    // MARK: Queries

    /// Returns a query that fails, because the client knows no open channels.
    public class func createOpenChannelListQuery() -> OpenChannelListQuery {
        OpenChannelListQuery(OpenChannelListQueryParams())
    }

    /// Returns a query that fails, because the client knows no open channels.
    public class func createOpenChannelListQuery(
        params: OpenChannelListQueryParams
    ) -> OpenChannelListQuery { OpenChannelListQuery(params) }

    /// Returns a query that fails, because the client knows no open channels.
    public class func createOpenChannelListQuery(
        paramsBuilder: (OpenChannelListQueryParams) -> Void
    ) -> OpenChannelListQuery {
        OpenChannelListQuery(OpenChannelListQueryParams(builder: paramsBuilder))
    }

    /// Returns a query that fails, because the client knows no open channels.
    public func createParticipantListQuery() -> ParticipantListQuery? {
        ParticipantListQuery(ParticipantListQueryParams())
    }

    /// Returns a query that fails, because the client knows no open channels.
    public func createParticipantListQuery(
        params: ParticipantListQueryParams
    ) -> ParticipantListQuery? { ParticipantListQuery(params) }

    /// Returns a query that fails, because the client knows no open channels.
    public func createParticipantListQuery(
        paramsBuilder: (ParticipantListQueryParams) -> Void
    ) -> ParticipantListQuery? {
        ParticipantListQuery(ParticipantListQueryParams(builder: paramsBuilder))
    }
}

/// The properties of an open channel to be created.
public final class OpenChannelCreateParams: NSObject {
    /// The name.
    public var name: String?
    /// The channel's URL; nil lets the server choose one.
    public var channelURL: String?
    /// The address of the cover picture.
    public var coverURL: String?
    /// The bytes of the cover picture.
    public var coverImage: Data?
    /// The file name of the cover picture.
    public var coverImageName: String?
    /// Text of the app's own; the server does not read it.
    public var data: String?
    /// The operators.
    public var operatorUserIds: [String]?
    /// A type of the app's own, which lists can filter by.
    public var customType: String?

    /// Creates parameters; nil leaves a property out.
    public init(
        name: String? = nil, channelURL: String? = nil, coverURL: String? = nil,
        coverImage: Data? = nil, coverImageName: String? = nil, data: String? = nil,
        operatorUserIds: [String]? = nil, customType: String? = nil
    ) {
        self.name = name
        self.channelURL = channelURL
        self.coverURL = coverURL
        self.coverImage = coverImage
        self.coverImageName = coverImageName
        self.data = data
        self.operatorUserIds = operatorUserIds
        self.customType = customType
    }

    /// Sets the operators.
    public func setOperators(_ operators: [User]) { operatorUserIds = operators.map(\.userId) }
}

/// The properties of an open channel to be changed; nil leaves a property as it is.
public final class OpenChannelUpdateParams: NSObject {
    /// The new name.
    public var name: String?
    /// The new address of the cover picture.
    public var coverURL: String?
    /// The bytes of the new cover picture.
    public var coverImage: Data?
    /// The new text of the app's own.
    public var data: String?
    /// The new custom type.
    public var customType: String?
    /// The complete new list of operators.
    public var operatorUserIds: [String]?

    public override init() {}

    /// Sets the complete new list of operators.
    public func setOperators(_ operators: [User]) { operatorUserIds = operators.map(\.userId) }
}
