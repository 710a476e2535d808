# SPDX-License-Identifier: Apache-2.0
"""Drives a server with the unmodified Platform API client; every call is checked for its effect."""

import json
import sys
import time
import urllib.request

import sendbird_platform_sdk as sdk
from sendbird_platform_sdk import model as _  # noqa: F401  (the models are imported one by one)
from sendbird_platform_sdk.api import (
    group_channel_api,
    message_api,
    metadata_api,
    moderation_api,
    user_api,
)
from sendbird_platform_sdk.models import *  # noqa: F403

from witness import Witness

PORT, APP, TOKEN = int(sys.argv[1]), sys.argv[2], sys.argv[3]
HOST = f"http://127.0.0.1:{PORT}"
client = sdk.ApiClient(sdk.Configuration(host=HOST))
users = user_api.UserApi(client)
groups = group_channel_api.GroupChannelApi(client)
messages = message_api.MessageApi(client)
metadata = metadata_api.MetadataApi(client)
moderation = moderation_api.ModerationApi(client)

calls, kinds = 0, set()


def call(function, *arguments, **keywords):
    global calls
    answer = function(*arguments, api_token=TOKEN, **keywords)
    calls += 1
    kinds.add(function.__name__)
    return answer


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def refused(function, *arguments, **keywords):
    global calls
    try:
        function(*arguments, api_token=TOKEN, **keywords)
    except sdk.ApiException as error:
        calls += 1
        return json.loads(error.body)["code"]
    raise AssertionError(f"{function.__name__} was not refused")


def plain(method, path, body=None, **headers):
    """What the client has no call for, as it would write it."""
    request = urllib.request.Request(
        HOST + path, method=method, data=json.dumps(body).encode() if body else None,
        headers={"Content-Type": "application/json", **(headers or {"Api-Token": TOKEN})})
    try:
        return json.loads(urllib.request.urlopen(request).read())
    except urllib.error.HTTPError as error:
        return json.loads(error.read())


# Users
for name in ("ann", "bob", "eve"):
    made = call(users.create_a_user, create_a_user_request=CreateAUserRequest(
        user_id=name, nickname=name.title(), profile_url="http://x/" + name))
    expect(made.user_id == name and made.nickname == name.title(), "a user is made")
expect(refused(users.create_a_user, create_a_user_request=CreateAUserRequest(
    user_id="ann", nickname="again")) == 400202, "a user is made once")
expect(len(call(users.list_users, limit=2).users) == 2, "a page is as long as asked")
expect(call(users.list_users, user_ids="bob,eve").users[1].user_id == "eve", "users by ID")
first = call(users.list_users, limit=2)
expect([u.user_id for u in call(users.list_users, limit=2, token=first.next).users] == ["eve"],
       "the next page goes on")
call(users.update_a_user, "eve", update_a_user_request=UpdateAUserRequest(nickname="Eva"))
expect(call(users.view_a_user, "eve").nickname == "Eva", "a nickname changes")
call(users.create_user_metadata, "ann",
     create_user_metadata_request=CreateUserMetadataRequest(metadata={"team": "red"}))
expect(call(users.view_specific_user_metadata, "ann", "team")["team"] == "red", "metadata is kept")
call(users.update_user_metadata, "ann", update_user_metadata_request=UpdateUserMetadataRequest(
    metadata={"team": "blue", "floor": "3"}, upsert=True))
expect(call(users.view_a_user, "ann").metadata == {"team": "blue", "floor": "3"}, "and changed")
call(users.update_specific_user_metadata, "ann", "floor",
     update_specific_user_metadata_request=UpdateSpecificUserMetadataRequest(value="4"))
expect(call(users.view_specific_user_metadata, "ann", "floor")["floor"] == "4", "one at a time")
call(users.delete_specific_user_metadata, "ann", "floor")
expect(call(users.view_a_user, "ann").metadata == {"team": "blue"}, "one is deleted")
call(users.delete_user_all_metadata, "ann")
expect(call(users.view_a_user, "ann").metadata == {}, "all are deleted")

# Tokens: what ends by itself opens a socket until then, and no socket of somebody else.
token = call(users.create_user_token, "ann",
             create_user_token_request=CreateUserTokenRequest())
ann = Witness(PORT, APP, "ann", token=token.token)
expect(ann.login.get("key"), "a session token opens a socket")
expect(Witness(PORT, APP, "bob", token=token.token).login["code"] == 400302, "of its user only")
bob = Witness(PORT, APP, "bob")
eve = Witness(PORT, APP, "eve")

# Channels
made = call(groups.create_a_group_channel, create_a_group_channel_request=CreateAGroupChannelRequest(
    users=[{"user_id": "ann"}, {"user_id": "bob"}], user_ids=["ann", "bob"], channel_url="g1",
    name="First", custom_type="work", operator_ids=["ann"]))
expect(made.channel_url == "g1" and made.joined_member_count == 2, "a channel is made")
bob.wait("SYEV", cat=10000, channel_url="g1")
call(groups.create_a_group_channel, create_a_group_channel_request=CreateAGroupChannelRequest(
    users=[{"user_id": "ann"}], user_ids=["ann"], channel_url="g2", name="Open", is_public=True))
expect(call(groups.get_a_group_channel, "g1", show_member=True).members[0].user_id == "ann",
       "it has its members")
expect([c.channel_url for c in groups.list_channels(TOKEN, show_empty=True).channels] == ["g1", "g2"],
       "the platform lists all")
expect([c.channel_url for c in groups.list_channels(
    TOKEN, show_empty=True, public_mode="public").channels] == ["g2"], "by their kind")
expect([c.channel_url for c in groups.list_channels(
    TOKEN, show_empty=True, custom_types="work").channels] == ["g1"], "by their type")
calls += 3
kinds.add("list_channels")
call(groups.update_a_group_channel, "g1",
     update_a_group_channel_request=UpdateAGroupChannelRequest(name="Renamed", data="d"))
bob.wait("SYEV", cat=11000, channel_url="g1")
expect(call(groups.get_a_group_channel, "g1").name == "Renamed", "a channel is renamed")
call(groups.invite_as_members, "g1",
     invite_as_members_request=InviteAsMembersRequest(user_ids=["eve"]))
eve.wait("SYEV", cat=10000, channel_url="g1")
expect(call(groups.check_if_member, "g1", "eve").is_member, "who is invited is in")
expect([m.user_id for m in call(groups.list_members, "g1", limit=2).members] == ["ann", "bob"],
       "members by name")
expect([m.user_id for m in call(groups.list_members, "g1", operator_filter="operator").members]
       == ["ann"], "members by role")
call(users.update_channel_invitation_preference, "bob",
     update_channel_invitation_preference_request=UpdateChannelInvitationPreferenceRequest(
         auto_accept=False))
expect(call(users.get_channel_invitation_preference, "bob").auto_accept is False, "bob is careful")
call(groups.invite_as_members, "g2",
     invite_as_members_request=InviteAsMembersRequest(user_ids=["bob"]))
bob.wait("SYEV", cat=10020, channel_url="g2")
expect(call(groups.check_if_member, "g2", "bob").state == "invited", "so bob is asked")
call(groups.accept_an_invitation, "g2",
     accept_an_invitation_request=AcceptAnInvitationRequest(user_id="bob"))
ann.wait("SYEV", cat=10000, channel_url="g2")
expect(call(groups.check_if_member, "g2", "bob").is_member, "bob accepts")
call(groups.join_a_channel, "g2", join_a_channel_request=JoinAChannelRequest(user_id="eve"))
expect(call(groups.check_if_member, "g2", "eve").is_member, "eve joins what is public")
call(groups.leave_a_channel, "g2", leave_a_channel_request=LeaveAChannelRequest(user_ids=["eve"]))
eve.wait("SYEV", cat=10001, channel_url="g2")
expect(not call(groups.check_if_member, "g2", "eve").is_member, "eve leaves")

# Operators
call(groups.register_operators_to_a_group_channel, "g1",
     register_operators_to_a_group_channel_request=RegisterOperatorsToAGroupChannelRequest(
         operator_ids=["bob"]))
expect(len(eve.wait("SYEV", cat=10002)["data"]["operators"]) == 2, "members learn of operators")
expect([u.user_id for u in call(groups.list_operators, "g1").operators] == ["ann", "bob"],
       "operators are listed")
call(groups.cancel_the_registration_of_operators, "g1", "bob")
expect([u.user_id for u in call(groups.list_operators, "g1").operators] == ["ann"], "and not")

# Messages
def send(text, user="ann", url="g1", **more):
    return call(messages.send_a_message, "group_channels", url,
                send_a_message_request=SendAMessageRequest(
                    message_type="MESG", user_id=user, message=text, **more))


one = send("one", custom_type="t", data="d")
heard = bob.wait("MESG", channel_url="g1")
expect(heard["msg_id"] == one.message_id and "req_id" not in heard, "a member hears a message")
two = send("two", user="bob")
expect(bob.wait("MESG")["message"] == "two", "the sender's own socket hears it too")
expect(ann.wait("MESG", message="two")["previous_message_id"] == one.message_id, "with the one before")
admin = call(messages.send_a_message, "group_channels", "g1",
             send_a_message_request=SendAMessageRequest(
                 message_type="ADMM", user_id="ann", message="notice"))
expect(ann.wait("ADMM")["message"] == "notice", "an administrator speaks")
expect(call(messages.get_a_message, "group_channels", "g1", one.message_id).message == "one",
       "a message is found")
found = messages.list_messages("group_channels", "g1", 0, two.message_id, prev_limit=1, next_limit=1,
                               include=True, api_token=TOKEN)
expect([m.message for m in found.messages] == ["one", "two", "notice"], "around an ID")
found = messages.list_messages("group_channels", "g1", 9223372036854775807, 0, prev_limit=2,
                               next_limit=0, api_token=TOKEN)
expect([m.message for m in found.messages] == ["two", "notice"], "before a time")
calls += 2
kinds.add("list_messages")
expect(call(messages.get_total_number_of_messages_in_a_channel, "group_channels", "g1").total == 3,
       "they are counted")
call(messages.update_a_message, "group_channels", "g1", one.message_id,
     update_a_message_request=UpdateAMessageRequest(message_type="MESG", message="uno"))
expect(bob.wait("MEDI", msg_id=one.message_id)["message"] == "uno", "an edit is heard")
expect(call(messages.get_a_message, "group_channels", "g1", one.message_id).message == "uno",
       "and kept")
call(messages.add_extra_data_to_a_message, "group_channels", "g1", one.message_id,
     add_extra_data_to_a_message_request=AddExtraDataToAMessageRequest(
         sorted_metaarray=SendbirdSortedMetaarray([
             SendbirdSortedMetaarrayInner(key="k", value=["a"])])))
bob.wait("MEDI", msg_id=one.message_id)
call(messages.update_extra_data_in_a_message, "group_channels", "g1", one.message_id,
     update_extra_data_in_a_message_request=UpdateExtraDataInAMessageRequest(
         sorted_metaarray=SendbirdSortedMetaarray([
             SendbirdSortedMetaarrayInner(key="k", value=["b"])]), mode="add"))
found = call(messages.get_a_message, "group_channels", "g1", one.message_id,
             with_sorted_meta_array=True)
expect(found.sorted_metaarray.value[0].value == ["a", "b"], "meta arrays grow")
call(messages.remove_extra_data_from_a_message, "group_channels", "g1", one.message_id, keys="k")
found = call(messages.get_a_message, "group_channels", "g1", one.message_id,
             with_sorted_meta_array=True)
expect(not getattr(found, "sorted_metaarray", None), "and go")

# Counts and receipts
expect(call(users.view_number_of_unread_messages, "eve").unread_count == 3, "eve has read nothing")
expect(call(users.view_number_of_channels_with_unread_messages, "eve").unread_count == 1,
       "in one channel")
call(messages.mark_channel_messages_as_read, "g1",
     mark_channel_messages_as_read_request=MarkChannelMessagesAsReadRequest(user_id="eve"))
expect(ann.wait("READ", channel_url="g1")["user"]["user_id"] == "eve", "others see that eve read")
expect(call(users.view_number_of_unread_messages, "eve").unread_count == 0, "eve has read all")
send("three")
call(users.mark_all_messages_as_read, "eve",
     mark_all_messages_as_read_request=MarkAllMessagesAsReadRequest(channel_urls=["g1"]))
expect(call(users.view_number_of_unread_messages, "eve").unread_count == 0, "once more")
call(users.update_count_preference_of_a_channel, "eve", "g1",
     update_count_preference_of_a_channel_request=UpdateCountPreferenceOfAChannelRequest(
         count_preference="unread_message_count_only"))
expect(call(users.view_count_preference_of_a_channel, "eve", "g1").count_preference
       == "unread_message_count_only", "a count preference is kept")
call(users.update_push_preferences, "eve", update_push_preferences_request=UpdatePushPreferencesRequest(
    do_not_disturb=True, start_hour=22, end_hour=7, timezone="UTC"))
expect(call(users.view_push_preferences, "eve").start_hour == 22, "quiet hours are kept")
call(users.reset_push_preferences, "eve")
expect(call(users.view_push_preferences, "eve").start_hour == 0, "and reset")
call(users.update_push_preferences_for_a_channel, "eve", "g1",
     update_push_preferences_for_a_channel_request=UpdatePushPreferencesForAChannelRequest(
         enable=True, push_trigger_option="mention_only"))
expect(call(users.view_push_preferences_for_a_channel, "eve", "g1").push_trigger_option.value
       == "mention_only", "for a channel")
call(users.add_a_registration_or_device_token, "eve", "gcm",
     add_a_registration_or_device_token_request=AddARegistrationOrDeviceTokenRequest(
         gcm_reg_token="tok"))
expect(call(users.list_registration_or_device_tokens, "eve", "gcm").tokens == ["tok"], "a device")
call(users.remove_a_registration_or_device_token, "eve", "gcm", "tok")
expect(call(users.list_registration_or_device_tokens, "eve", "gcm").tokens == [], "is gone")
call(users.remove_all_registration_or_device_token, "eve")

# Hiding, freezing, history
call(groups.hide_a_channel, "g1", hide_a_channel_request=HideAChannelRequest(
    user_id="eve", allow_auto_unhide=True, hide_previous_messages=False))
eve.wait("SYEV", cat=13000, channel_url="g1")
mine = lambda user: [c.channel_url for c in users.list_my_group_channels(  # noqa: E731
    user, TOKEN, show_empty=True).channels]
expect(mine("eve") == [], "a hidden channel is not listed")
call(groups.unhide_a_channel, "g1", "eve")
eve.wait("SYEV", cat=13001, channel_url="g1")
expect(mine("eve") == ["g1"], "a shown one is")
call(groups.hide_a_channel, "g1", hide_a_channel_request=HideAChannelRequest(
    user_id="eve", allow_auto_unhide=True))
send("four")
expect(mine("eve") == ["g1"], "a message brings it back")
calls += 3
kinds.add("list_my_group_channels")
call(moderation.freeze_a_group_channel, "g1",
     freeze_a_group_channel_request=FreezeAGroupChannelRequest(freeze=True))
expect(bob.wait("SYEV", cat=10701)["data"]["freeze"] is True, "a freeze is heard")
expect(refused(messages.send_a_message, "group_channels", "g1",
               send_a_message_request=SendAMessageRequest(
                   message_type="MESG", user_id="bob", message="no")) == 900050, "and felt")
call(moderation.freeze_a_group_channel, "g1",
     freeze_a_group_channel_request=FreezeAGroupChannelRequest(freeze=False))
send("five", user="bob")
offset = call(groups.reset_chat_history, "g1",
              reset_chat_history_request=ResetChatHistoryRequest(user_id="eve", reset_all=False))
expect(offset.ts_message_offset > 0, "a history is reset")
key = {"Session-Key": eve.login["key"]}
listed = "/v3/group_channels/g1/messages?message_ts=9007199254740991&prev_limit=9&next_limit=0"
expect(plain("GET", listed, **key)["messages"] == [], "eve sees nothing of before")
call(groups.start_typing_indicators, "g1",
     start_typing_indicators_request=StartTypingIndicatorsRequest(user_ids=["ann"]))
bob.wait("SYEV", cat=10900)
call(groups.stop_typing_indicators, "g1",
     start_typing_indicators_request=StartTypingIndicatorsRequest(user_ids=["ann"]))
bob.wait("SYEV", cat=10901)

# Channel metadata
call(metadata.create_a_channel_metadata, "group_channels", "g1",
     create_a_channel_metadata_request=CreateAChannelMetadataRequest(
         metadata={"color": "red"}, include_ts=True))
expect(bob.wait("SYEV", cat=11100)["data"]["created"] == {"color": "red"}, "metadata is heard")
view = metadata.view_a_channel_metadata_when_retrieving_all_items_of_a_channel_metadata
expect(call(view, "group_channels", "g1")["color"] == "red", "and kept")
call(metadata.update_a_channel_metadata, "group_channels", "g1",
     update_a_channel_metadata_request=UpdateAChannelMetadataRequest(
         metadata={"color": "blue"}, upsert=True, include_ts=False))
expect(bob.wait("SYEV", cat=11100)["data"]["updated"] == {"color": "blue"}, "a change is heard")
erase = metadata.delete_a_channel_metadata_when_deleting_all_items_of_a_channel_metadata
call(erase, "group_channels", "g1")
expect(bob.wait("SYEV", cat=11100)["data"]["deleted"] == ["color"], "an end is heard")
expect(call(view, "group_channels", "g1") == {}, "nothing is left")

# Blocks
call(moderation.block_a_user, "bob", block_a_user_request=BlockAUserRequest(target_id="eve"))
bob.wait("USEV", cat=20001)
expect([u.user_id for u in call(moderation.list_blocked_users, "bob").users] == ["eve"], "a block")
call(moderation.unblock_a_user, "bob", "eve")
bob.wait("USEV", cat=20000)
expect(call(moderation.list_blocked_users, "bob").users == [], "is lifted")

# What the client has no call for: the same server, the same words.
base = f"/v3/group_channels/g1/messages/{one.message_id}"
plain("POST", base + "/reactions", {"reaction": "heart", "user_id": "bob"})
heard = ann.wait("MRCT", msg_id=one.message_id)
expect((heard["reaction"], heard["operation"]) == ("heart", "ADD"), "a reaction is heard")
found = plain("GET", base + "?include_reactions=true")
expect(found["reactions"][0]["user_ids"] == ["bob"], "and kept")
plain("DELETE", base + "/reactions?reaction=heart&user_id=bob")
expect(ann.wait("MRCT")["operation"] == "DELETE", "its end too")
reply = plain("POST", "/v3/group_channels/g1/messages", {
    "message_type": "MESG", "user_id": "bob", "message": "re", "parent_message_id": one.message_id})
expect(ann.wait("MTHD", parent_message_id=one.message_id)["thread_info"]["reply_count"] == 1, "thread")
thread = plain("GET", f"/v3/group_channels/g1/messages?message_ts=0&prev_limit=0&next_limit=9"
               f"&parent_message_id={one.message_id}&include_reply_type=all")
expect([m["message"] for m in thread["messages"]] == ["uno", "re"], "a thread begins with its parent")
plain("POST", base + "/pin", {"user_id": "ann"})
expect(ann.wait("SYEV", cat=11300)["data"]["pinned_message_ids"] == [one.message_id], "a pin")
plain("POST", "/v3/group_channels/g1/mute", {"user_id": "bob", "seconds": 60, "description": "hush"})
bob.wait("SYEV", cat=10201)
expect(plain("GET", "/v3/group_channels/g1/mute/bob")["is_muted"] is True, "bob is mute")
bob.say("MESG", channel_url="g1", message="psst", req_id="r1")
expect(bob.wait("EROR", req_id="r1")["code"] == 900041, "and cannot speak")
plain("DELETE", "/v3/group_channels/g1/mute/bob")
expect(plain("GET", "/v3/group_channels/g1/mute/bob")["is_muted"] is False, "bob has his voice back")
plain("POST", "/v3/group_channels/g1/ban", {"user_id": "bob", "seconds": -1})
bob.wait("SYEV", cat=10601)
expect(plain("GET", "/v3/group_channels/g1/ban")["banned_list"][0]["user_id"] == "bob", "bob is out")
expect(plain("POST", "/v3/group_channels/g1/invite", {"user_ids": ["bob"]})["code"] == 400750,
       "and stays out")
plain("DELETE", "/v3/group_channels/g1/ban/bob")
expect(plain("GET", "/v3/group_channels/g1/ban")["banned_list"] == [], "bob may come back")
expect(plain("PUT", "/v3/group_channels/g1/metacounter", {
    "metacounter": {"n": 2}, "mode": "increase", "upsert": True}) == {"n": 2}, "a counter counts")
found = plain("GET", "/v3/search/messages?query=NOTICE&channel_url=g1")
expect([m["message"] for m in found["results"]] == ["notice"], "words are found")

# Files: a form goes up, any part of it comes down.
form = (b'--X\r\nContent-Disposition: form-data; name="channel_url"\r\n\r\ng1\r\n'
        b'--X\r\nContent-Disposition: form-data; name="file"; filename="../a b.txt"\r\n'
        b'Content-Type: text/plain\r\n\r\nhello\r\n--X-\r\nworld\r\n--X--\r\n')
request = urllib.request.Request(HOST + "/v3/storage/file", data=form, headers={
    "Session-Key": ann.login["key"], "Content-Type": "multipart/form-data; boundary=X"})
try:
    urllib.request.urlopen(request)
    raise AssertionError("a form with a broken boundary was taken")
except urllib.error.HTTPError as error:
    expect(json.loads(error.read())["code"] == 400403, "a broken form is refused")
request.data = form.replace(b"\r\n--X-\r\nworld", b" world")
stored = json.loads(urllib.request.urlopen(request).read())
expect(stored["file_size"] == 11 and stored["require_auth"] is False, "a file goes up")
expect(stored["url"].endswith("/a%20b.txt"), "under its own name, without a folder")
fetched = urllib.request.urlopen(stored["url"])
expect(fetched.read() == b"hello world" and fetched.headers["Content-Type"] == "text/plain",
       "and comes down")
fetched = urllib.request.urlopen(urllib.request.Request(stored["url"], headers={"Range": "bytes=6-"}))
expect((fetched.status, fetched.read(), fetched.headers["Content-Range"])
       == (206, b"world", "bytes 6-10/11"), "in parts")
for path in ("/files/../../server.sqlite/x", "/files/" + "0" * 40 + "/x", "/files//etc/passwd"):
    try:
        urllib.request.urlopen(HOST + path)
        raise AssertionError(path)
    except urllib.error.HTTPError as error:
        expect(error.code == 404, path)
expect(json.loads(urllib.request.urlopen(HOST + "/health").read())["status"] == "ok", "it is well")
metrics = urllib.request.urlopen(HOST + "/metrics").read().decode()
expect("roost_sessions 3\n" in metrics and "one" not in metrics, "it counts, and tells no content")

# Ends
call(messages.delete_a_message, "group_channels", "g1", admin.message_id)
expect(ann.wait("DELM")["msg_id"] == admin.message_id, "a deletion is heard")
expect(refused(messages.get_a_message, "group_channels", "g1", admin.message_id) == 900300,
       "a deleted message is gone")
call(users.leave_my_group_channels, "eve",
     leave_my_group_channels_request=LeaveMyGroupChannelsRequest(custom_type="work"))
expect(not call(groups.check_if_member, "g1", "eve").is_member, "eve leaves all of a type")
call(groups.delete_a_group_channel, "g1")
ann.wait("SYEV", cat=12000, channel_url="g1")
expect(refused(groups.get_a_group_channel, "g1") == 400201, "a channel is gone")
gone = plain("GET", "/v3/users/ann/my_group_channels/changelogs?change_ts=0", **{
    "Session-Key": ann.login["key"]})
expect(gone["deleted"] == ["g1"], "and the change log says so")
call(users.update_a_user, "bob", update_a_user_request=UpdateAUserRequest(is_active=False))
expect(bob.wait("EXPR")["reason"] == 400310, "who is deactivated is sent away")
call(users.delete_a_user, "eve")
expect(refused(users.view_a_user, "eve") == 400201, "a user is gone")
expect(calls >= 60 and len(kinds) >= 50, f"only {calls} calls of {len(kinds)} kinds")
print(f"platform SDK {sdk.__version__}: {calls} calls of {len(kinds)} kinds, each with its effect")
