import { defineTool, type Json } from "@toolmount/core";
import { z } from "zod";
import { answer, error, member, read, textMember, write, type Entry, type Service } from "./service.ts";

interface Tweets {
  readonly username: string;
  readonly password: string;
  readonly tweets: Map<number, Entry>;
  readonly comments: Map<number, Entry[]>;
  readonly retweets: Record<string, number[]>;
  readonly following: string[];
  authenticated: boolean;
  counter: number;
}

/** Posts of one user, and those that user follows. */
export function createTweets(configuration: Entry): Service {
  const given = Object.entries(configuration["tweets"] as Record<string, Entry>);
  const app: Tweets = {
    username: configuration["username"] as string,
    password: configuration["password"] as string,
    tweets: new Map(given.map(([id, tweet]) => [Number(id), tweet])),
    // Comments of a configuration are found by no tool.
    comments: new Map(),
    retweets: configuration["retweets"] as Record<string, number[]>,
    following: configuration["following_list"] as string[],
    authenticated: configuration["authenticated"] as boolean,
    counter: configuration["tweet_counter"] as number,
  };
  return {
    tools: [...accountTools(app), post(app), ...reactionTools(app), ...followTools(app), ...searchTools(app)],
    state: () => ({
      username: app.username,
      password: app.password,
      authenticated: app.authenticated,
      tweets: Object.fromEntries(app.tweets),
      comments: Object.fromEntries(app.comments),
      retweets: app.retweets,
      following_list: app.following,
      tweet_counter: app.counter,
    }),
  };
}

const needsLogin = (doing: string) => error(`User not authenticated. Please authenticate before ${doing}.`);
const notFound = (id: number) => error(`Tweet with ID ${id} not found.`);
const tweetId = z.int().describe("The tweet's number");

function accountTools(app: Tweets) {
  return [
    defineTool({
      ...write,
      name: "authenticate_twitter",
      description: "Logs the user in.",
      schema: z.strictObject({ username: z.string(), password: z.string() }),
      execute: ({ username, password }) => {
        const right = username === app.username && password === app.password;
        if (right) app.authenticated = true;
        return answer({ authentication_status: right });
      },
    }),
    defineTool({
      ...read,
      name: "posting_get_login_status",
      description: "Says whether the user is logged in.",
      schema: z.strictObject({}),
      execute: () => answer({ login_status: app.authenticated }),
    }),
  ];
}

function post(app: Tweets) {
  return defineTool({
    ...write,
    name: "post_tweet",
    description: "Posts a tweet.",
    schema: z.strictObject({
      content: z.string(),
      tags: z.array(z.string()).default([]),
      mentions: z.array(z.string()).default([]),
    }),
    execute: ({ content, tags, mentions }) => {
      if (!app.authenticated) return needsLogin("posting");
      const tweet = {
        id: app.counter,
        username: app.username,
        content,
        tags: [...tags],
        mentions: [...mentions],
      };
      app.tweets.set(app.counter, tweet);
      app.counter += 1;
      return answer(structuredClone(tweet));
    },
  });
}

function reactionTools(app: Tweets) {
  return [
    defineTool({
      ...write,
      name: "retweet",
      description: "Posts a tweet again.",
      schema: z.strictObject({ tweet_id: tweetId }),
      execute: ({ tweet_id }) => {
        if (!app.authenticated) return needsLogin("retweeting");
        if (!app.tweets.has(tweet_id)) return notFound(tweet_id);
        const ids = Object.hasOwn(app.retweets, app.username) ? app.retweets[app.username]! : [];
        app.retweets[app.username] = ids;
        if (ids.includes(tweet_id)) return answer({ retweet_status: "Already retweeted" });
        ids.push(tweet_id);
        return answer({ retweet_status: "Successfully retweeted" });
      },
    }),
    defineTool({
      ...write,
      name: "comment",
      description: "Comments on a tweet.",
      schema: z.strictObject({ tweet_id: tweetId, comment_content: z.string() }),
      execute: ({ tweet_id, comment_content: content }) => {
        if (!app.authenticated) return needsLogin("commenting");
        if (!app.tweets.has(tweet_id)) return notFound(tweet_id);
        const before = app.comments.get(tweet_id) ?? [];
        app.comments.set(tweet_id, [...before, { username: app.username, content }]);
        return answer({ comment_status: "Comment added successfully" });
      },
    }),
    defineTool({
      ...write,
      name: "mention",
      description: "Mentions users in a tweet.",
      schema: z.strictObject({ tweet_id: tweetId, mentioned_usernames: z.array(z.string()) }),
      execute: ({ tweet_id, mentioned_usernames: names }) => {
        const tweet = app.tweets.get(tweet_id);
        if (tweet === undefined) return notFound(tweet_id);
        (member(tweet, "mentions") as string[]).push(...names);
        return answer({ mention_status: "Users mentioned successfully" });
      },
    }),
  ];
}

function followTools(app: Tweets) {
  return [
    defineTool({
      ...write,
      name: "follow_user",
      description: "Follows a user.",
      schema: z.strictObject({ username_to_follow: z.string() }),
      execute: ({ username_to_follow: name }) => {
        if (!app.authenticated) return needsLogin("following");
        if (app.following.includes(name)) return answer({ follow_status: false });
        app.following.push(name);
        return answer({ follow_status: true });
      },
    }),
    defineTool({
      ...write,
      name: "unfollow_user",
      description: "Stops following a user.",
      schema: z.strictObject({ username_to_unfollow: z.string() }),
      execute: ({ username_to_unfollow: name }) => {
        if (!app.authenticated) return needsLogin("unfollowing");
        if (!app.following.includes(name)) return answer({ unfollow_status: false });
        app.following.splice(app.following.indexOf(name), 1);
        return answer({ unfollow_status: true });
      },
    }),
    defineTool({
      ...read,
      name: "list_all_following",
      description: "Lists the users that this one follows.",
      schema: z.strictObject({}),
      execute: () =>
        app.authenticated ? answer({ following_list: [...app.following] }) : needsLogin("listing following"),
    }),
  ];
}

function searchTools(app: Tweets) {
  const all = () => [...app.tweets.values()];
  const shown = (value: Json) => answer(structuredClone(value));
  return [
    defineTool({
      ...read,
      name: "get_tweet",
      description: "Gets a tweet by its number.",
      schema: z.strictObject({ tweet_id: tweetId }),
      execute: ({ tweet_id }) => {
        const tweet = app.tweets.get(tweet_id);
        return tweet === undefined ? notFound(tweet_id) : shown(tweet);
      },
    }),
    defineTool({
      ...read,
      name: "get_user_tweets",
      description: "Gets the tweets of a user.",
      schema: z.strictObject({ username: z.string() }),
      execute: ({ username }) => shown(all().filter((tweet) => member(tweet, "username") === username)),
    }),
    defineTool({
      ...read,
      name: "search_tweets",
      description: "Finds tweets by a word in their text, or by a tag.",
      schema: z.strictObject({ keyword: z.string() }),
      execute: ({ keyword }) => shown(all().filter((tweet) => matches(tweet, keyword.toLowerCase()))),
    }),
    defineTool({
      ...read,
      name: "get_tweet_comments",
      description: "Gets the comments on a tweet.",
      schema: z.strictObject({ tweet_id: tweetId }),
      execute: ({ tweet_id }) =>
        app.tweets.has(tweet_id) ? shown(app.comments.get(tweet_id) ?? []) : notFound(tweet_id),
    }),
    defineTool({
      ...read,
      name: "get_user_stats",
      description: "Counts a user's tweets, retweets and followed users.",
      schema: z.strictObject({ username: z.string() }),
      execute: ({ username }) =>
        answer({
          tweet_count: all().filter((tweet) => member(tweet, "username") === username).length,
          following_count: username === app.username ? app.following.length : 0,
          retweet_count: Object.hasOwn(app.retweets, username) ? app.retweets[username]!.length : 0,
        }),
    }),
  ];
}

function matches(tweet: Entry, keyword: string): boolean {
  if (textMember(tweet, "content").toLowerCase().includes(keyword)) return true;
  return (member(tweet, "tags") as string[]).some((tag) => tag.toLowerCase() === keyword);
}
