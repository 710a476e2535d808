// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Each query comes in three forms for a channel object and in three for a channel's URL. The kind
// of channel is not needed, as the client knows group channels only.

extension BaseChannel {
    // MARK: Muted users

    /// Returns a query of the muted users with the defaults of its parameters.
    public func createMutedUserListQuery() -> MutedUserListQuery? {
        MutedUserListQuery(value.url, MutedUserListQueryParams())
    }

    /// Returns a query of the muted users.
    public func createMutedUserListQuery(
        params: MutedUserListQueryParams
    ) -> MutedUserListQuery? { MutedUserListQuery(value.url, params) }

    /// Returns a query of the muted users with parameters that the closure sets.
    public func createMutedUserListQuery(
        paramsBuilder: (MutedUserListQueryParams) -> Void
    ) -> MutedUserListQuery? {
        MutedUserListQuery(value.url, MutedUserListQueryParams(builder: paramsBuilder))
    }

    /// Returns a query of a channel's muted users with the defaults of its parameters.
    public class func createMutedUserListQuery(
        channelType: ChannelType, channelURL: String
    ) -> MutedUserListQuery {
        MutedUserListQuery(ChannelURL(channelURL), MutedUserListQueryParams())
    }

    /// Returns a query of a channel's muted users.
    public class func createMutedUserListQuery(
        channelType: ChannelType, channelURL: String, params: MutedUserListQueryParams
    ) -> MutedUserListQuery { MutedUserListQuery(ChannelURL(channelURL), params) }

    /// Returns a query of a channel's muted users with parameters that the closure sets.
    public class func createMutedUserListQuery(
        channelType: ChannelType, channelURL: String,
        paramsBuilder: (MutedUserListQueryParams) -> Void
    ) -> MutedUserListQuery {
        MutedUserListQuery(ChannelURL(channelURL), MutedUserListQueryParams(builder: paramsBuilder))
    }
}

extension BaseChannel {
    // MARK: Banned users

    /// Returns a query of the banned users with the defaults of its parameters.
    public func createBannedUserListQuery() -> BannedUserListQuery? {
        BannedUserListQuery(value.url, BannedUserListQueryParams())
    }

    /// Returns a query of the banned users.
    public func createBannedUserListQuery(
        params: BannedUserListQueryParams
    ) -> BannedUserListQuery? { BannedUserListQuery(value.url, params) }

    /// Returns a query of the banned users with parameters that the closure sets.
    public func createBannedUserListQuery(
        paramsBuilder: (BannedUserListQueryParams) -> Void
    ) -> BannedUserListQuery? {
        BannedUserListQuery(value.url, BannedUserListQueryParams(builder: paramsBuilder))
    }

    /// Returns a query of a channel's banned users with the defaults of its parameters.
    public class func createBannedUserListQuery(
        channelType: ChannelType, channelURL: String
    ) -> BannedUserListQuery {
        BannedUserListQuery(ChannelURL(channelURL), BannedUserListQueryParams())
    }

    /// Returns a query of a channel's banned users.
    public class func createBannedUserListQuery(
        channelType: ChannelType, channelURL: String, params: BannedUserListQueryParams
    ) -> BannedUserListQuery { BannedUserListQuery(ChannelURL(channelURL), params) }

    /// Returns a query of a channel's banned users with parameters that the closure sets.
    public class func createBannedUserListQuery(
        channelType: ChannelType, channelURL: String,
        paramsBuilder: (BannedUserListQueryParams) -> Void
    ) -> BannedUserListQuery {
        BannedUserListQuery(
            ChannelURL(channelURL), BannedUserListQueryParams(builder: paramsBuilder))
    }
}

extension BaseChannel {
    // MARK: Operators

    /// Returns a query of the operators with the defaults of its parameters.
    public func createOperatorListQuery() -> OperatorListQuery? {
        OperatorListQuery(value.url, OperatorListQueryParams())
    }

    /// Returns a query of the operators.
    public func createOperatorListQuery(
        params: OperatorListQueryParams
    ) -> OperatorListQuery? { OperatorListQuery(value.url, params) }

    /// Returns a query of the operators with parameters that the closure sets.
    public func createOperatorListQuery(
        paramsBuilder: (OperatorListQueryParams) -> Void
    ) -> OperatorListQuery? {
        OperatorListQuery(value.url, OperatorListQueryParams(builder: paramsBuilder))
    }

    /// Returns a query of a channel's operators with the defaults of its parameters.
    public class func createOperatorListQuery(
        channelType: ChannelType, channelURL: String
    ) -> OperatorListQuery {
        OperatorListQuery(ChannelURL(channelURL), OperatorListQueryParams())
    }

    /// Returns a query of a channel's operators.
    public class func createOperatorListQuery(
        channelType: ChannelType, channelURL: String, params: OperatorListQueryParams
    ) -> OperatorListQuery { OperatorListQuery(ChannelURL(channelURL), params) }

    /// Returns a query of a channel's operators with parameters that the closure sets.
    public class func createOperatorListQuery(
        channelType: ChannelType, channelURL: String,
        paramsBuilder: (OperatorListQueryParams) -> Void
    ) -> OperatorListQuery {
        OperatorListQuery(ChannelURL(channelURL), OperatorListQueryParams(builder: paramsBuilder))
    }
}
