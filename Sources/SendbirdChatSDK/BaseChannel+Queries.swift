// SPDX-License-Identifier: Apache-2.0

import RoostDoors
import RoostModel

// Each query comes in three forms for a channel object and in three for a channel's URL.

extension BaseChannel {
    // MARK: Muted users

    /// Returns a query of the muted users with the defaults of its parameters.
    public func createMutedUserListQuery() -> MutedUserListQuery? {
        MutedUserListQuery(address, MutedUserListQueryParams())
    }

    /// Returns a query of the muted users.
    public func createMutedUserListQuery(
        params: MutedUserListQueryParams
    ) -> MutedUserListQuery? { MutedUserListQuery(address, params) }

    /// Returns a query of the muted users with parameters that the closure sets.
    public func createMutedUserListQuery(
        paramsBuilder: (MutedUserListQueryParams) -> Void
    ) -> MutedUserListQuery? {
        MutedUserListQuery(address, MutedUserListQueryParams(builder: paramsBuilder))
    }

    /// Returns a query of a channel's muted users with the defaults of its parameters.
    public class func createMutedUserListQuery(
        channelType: ChannelType, channelURL: String
    ) -> MutedUserListQuery {
        MutedUserListQuery(ChannelAddress(channelType, channelURL), MutedUserListQueryParams())
    }

    /// Returns a query of a channel's muted users.
    public class func createMutedUserListQuery(
        channelType: ChannelType, channelURL: String, params: MutedUserListQueryParams
    ) -> MutedUserListQuery { MutedUserListQuery(ChannelAddress(channelType, channelURL), params) }

    /// Returns a query of a channel's muted users with parameters that the closure sets.
    public class func createMutedUserListQuery(
        channelType: ChannelType, channelURL: String,
        paramsBuilder: (MutedUserListQueryParams) -> Void
    ) -> MutedUserListQuery {
        MutedUserListQuery(
            ChannelAddress(channelType, channelURL),
            MutedUserListQueryParams(builder: paramsBuilder))
    }
}

extension BaseChannel {
    // MARK: Banned users

    /// Returns a query of the banned users with the defaults of its parameters.
    public func createBannedUserListQuery() -> BannedUserListQuery? {
        BannedUserListQuery(address, BannedUserListQueryParams())
    }

    /// Returns a query of the banned users.
    public func createBannedUserListQuery(
        params: BannedUserListQueryParams
    ) -> BannedUserListQuery? { BannedUserListQuery(address, params) }

    /// Returns a query of the banned users with parameters that the closure sets.
    public func createBannedUserListQuery(
        paramsBuilder: (BannedUserListQueryParams) -> Void
    ) -> BannedUserListQuery? {
        BannedUserListQuery(address, BannedUserListQueryParams(builder: paramsBuilder))
    }

    /// Returns a query of a channel's banned users with the defaults of its parameters.
    public class func createBannedUserListQuery(
        channelType: ChannelType, channelURL: String
    ) -> BannedUserListQuery {
        BannedUserListQuery(ChannelAddress(channelType, channelURL), BannedUserListQueryParams())
    }

    /// Returns a query of a channel's banned users.
    public class func createBannedUserListQuery(
        channelType: ChannelType, channelURL: String, params: BannedUserListQueryParams
    ) -> BannedUserListQuery {
        BannedUserListQuery(ChannelAddress(channelType, channelURL), params)
    }

    /// Returns a query of a channel's banned users with parameters that the closure sets.
    public class func createBannedUserListQuery(
        channelType: ChannelType, channelURL: String,
        paramsBuilder: (BannedUserListQueryParams) -> Void
    ) -> BannedUserListQuery {
        BannedUserListQuery(
            ChannelAddress(channelType, channelURL),
            BannedUserListQueryParams(builder: paramsBuilder))
    }
}

extension BaseChannel {
    // MARK: Operators

    /// Returns a query of the operators with the defaults of its parameters.
    public func createOperatorListQuery() -> OperatorListQuery? {
        OperatorListQuery(address, OperatorListQueryParams())
    }

    /// Returns a query of the operators.
    public func createOperatorListQuery(
        params: OperatorListQueryParams
    ) -> OperatorListQuery? { OperatorListQuery(address, params) }

    /// Returns a query of the operators with parameters that the closure sets.
    public func createOperatorListQuery(
        paramsBuilder: (OperatorListQueryParams) -> Void
    ) -> OperatorListQuery? {
        OperatorListQuery(address, OperatorListQueryParams(builder: paramsBuilder))
    }

    /// Returns a query of a channel's operators with the defaults of its parameters.
    public class func createOperatorListQuery(
        channelType: ChannelType, channelURL: String
    ) -> OperatorListQuery {
        OperatorListQuery(ChannelAddress(channelType, channelURL), OperatorListQueryParams())
    }

    /// Returns a query of a channel's operators.
    public class func createOperatorListQuery(
        channelType: ChannelType, channelURL: String, params: OperatorListQueryParams
    ) -> OperatorListQuery { OperatorListQuery(ChannelAddress(channelType, channelURL), params) }

    /// Returns a query of a channel's operators with parameters that the closure sets.
    public class func createOperatorListQuery(
        channelType: ChannelType, channelURL: String,
        paramsBuilder: (OperatorListQueryParams) -> Void
    ) -> OperatorListQuery {
        OperatorListQuery(
            ChannelAddress(channelType, channelURL), OperatorListQueryParams(builder: paramsBuilder)
        )
    }
}

extension ChannelAddress {
    fileprivate init(_ type: ChannelType, _ url: String) {
        self.init(ChannelURL(url), isOpen: type == .open)
    }
}
