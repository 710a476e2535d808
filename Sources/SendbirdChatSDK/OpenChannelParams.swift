// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

/// The properties of an open channel to be created.
public final class OpenChannelCreateParams: NSObject, NSCopying {
    /// The name.
    public var name: String?
    /// The channel's URL; nil lets the server choose one.
    public var channelURL: String?
    /// The address of the cover picture.
    public var coverURL: String?
    /// The bytes of the cover picture, which the server keeps; preferred to `coverURL`.
    public var coverImage: Data?
    /// Without effect: the server chooses the name of the cover picture.
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

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        OpenChannelCreateParams().taking(
            \.name, \.channelURL, \.coverURL, \.coverImage, \.coverImageName, \.data,
            \.operatorUserIds, \.customType, from: self)
    }

    var value: RoostModel.OpenChannelCreateParams {
        RoostModel.OpenChannelCreateParams(
            name: name ?? "", url: channelURL.map { ChannelURL($0) }, coverURL: coverURL ?? "",
            data: data ?? "", customType: customType ?? "",
            operatorIDs: (operatorUserIds ?? []).map { UserID($0) })
    }

    /// Sets the operators.
    public func setOperators(_ operators: [User]) { operatorUserIds = operators.map(\.userId) }
}

/// The properties of an open channel to be changed; nil leaves a property as it is.
public final class OpenChannelUpdateParams: NSObject, NSCopying {
    /// The new name.
    public var name: String?
    /// The new address of the cover picture.
    public var coverURL: String?
    /// The bytes of the new cover picture; preferred to `coverURL`.
    public var coverImage: Data?
    /// The new text of the app's own.
    public var data: String?
    /// The new custom type.
    public var customType: String?
    /// The complete new list of operators.
    public var operatorUserIds: [String]?

    public override init() {}

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        OpenChannelUpdateParams().taking(
            \.name, \.coverURL, \.coverImage, \.data, \.customType, \.operatorUserIds, from: self)
    }

    var value: RoostModel.OpenChannelUpdateParams {
        RoostModel.OpenChannelUpdateParams(
            name: name, coverURL: coverURL, data: data, customType: customType,
            operatorIDs: operatorUserIds?.map { UserID($0) })
    }

    /// Sets the complete new list of operators.
    public func setOperators(_ operators: [User]) { operatorUserIds = operators.map(\.userId) }
}
