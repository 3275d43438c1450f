{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.Model
-- Description : What random decoders should return, by a naive model
--
-- The model has its input as a list of bytes, and a log of all failures.
module Tests.Model (modelAction) where

import Ashlar.Get
import qualified Data.ByteString as S
import qualified Data.List as List
import Data.Maybe (fromMaybe, isJust, mapMaybe)
import Data.Word (Word8)
import Tests.Actions
import Tests.Failures

-- The state.
data World = World
  { at :: Int,
    -- Whether a commit has given up the enclosing choices.
    committed :: Bool,
    -- The budget that was not enough, if the decoder has failed for that reason.
    over :: Maybe Scope,
    -- All failures, the latest first.
    failed :: [Failed]
  }

-- A budget: how many are around it.
type Scope = Int

-- A failure: its offset, its labels, the name of what was expected, the bytes found, and the
-- reason.
data Failed = Failed Int [String] (Maybe String) [Word8] Reason

-- The environment of a decoder.
data Around = Around
  { labels :: [String],
    -- The names of what is expected at an offset, the innermost first.
    names :: [(Int, String)],
    limit :: Int,
    depth :: Int,
    -- The depth of the innermost budget.
    allowed :: Int,
    -- How many bytes the innermost budget of bytes allows, and the offset at which they end.
    most :: Int,
    bytesEnd :: Int,
    -- The innermost budget, and the innermost one of bytes.
    budget :: Scope,
    bytesBudget :: Scope
  }

-- | The result of a decoder in the model.
modelAction :: [Word8] -> Action -> Either DecodeError [Seen]
modelAction input top = case run around0 top (World 0 False Nothing []) of
  (Just seen, _) -> Right seen
  (Nothing, world) -> Left (errorFrom (failed world))
  where
    total = length input
    around0 = Around [] [] total 100000 100000 maxBound maxBound 0 0

    run :: Around -> Action -> World -> (Maybe [Seen], World)
    run around a world = case a of
      Byte -> number 1 id
      Even
        | left > 0,
          odd (input !! here) ->
          expecting around "a byte that satisfy accepts" (found 1) Unexpected
        | left == 0 -> ended (failAs [] (MissingInput 1 0))
        | otherwise -> number 1 id
      Little16 -> number 2 reverse
      Big32 -> case number 4 id of
        (seen, world') -> (map signed <$> seen, world')
      Big64 -> number 8 id
      Bytes n
        | n < 0 -> wrong "getByteString: negative number of bytes"
        | otherwise -> string n
      LazyBytes n
        | n < 0 -> wrong "getLazyByteString: negative number of bytes"
        | otherwise -> string n
      Skip n
        | n < 0 -> wrong "skip: negative number of bytes"
        | n > left, valueEnd < inputEnd -> outOf valueEnd Nothing
        | n > left -> failAs [] (MissingInput n left)
        | otherwise -> (Just [], world {at = here + n})
      Till w -> case break (== w) (between here (here + left)) of
        (before, []) -> case ended (Just [String' before], world {at = here + left}) of
          (Nothing, _) -> outOf valueEnd Nothing
          taken -> taken
        (before, _) -> (Just [String' before], world {at = here + length before})
      Where -> (Just [Offset (fromIntegral here)], world)
      AtEnd
        | left == 0 -> ended (Just [End True], world)
        | otherwise -> (Just [End False], world)
      EndHere
        | left == 0 -> ended (Just [], world)
        | otherwise -> expecting around "the end of the input" (found 1) TrailingInput
      Failing -> wrong "failing"
      Empty -> failAs [] NoAlternative
      Return n -> (Just [Number (fromIntegral n)], world)
      Commit -> (Just [], world {committed = True})
      Then x y -> case run around x world of
        (Just seen, world') -> case run around y world' of
          (seen', world'') -> ((seen ++) <$> seen', world'')
        nothing -> nothing
      Or x y -> case choice x world of
        (Just seen, world', _) -> (Just seen, world')
        (Nothing, world', True) -> (Nothing, world')
        (Nothing, world', False) -> run around y world'
      Ahead x -> ahead True x
      AheadM b x ->
        if b
          then case ahead True x of (seen, world') -> ([] <$ seen, world')
          else run around x world
      AheadE b x -> ahead b x
      Attempt x -> case run around x world {committed = False} of
        (seen, world') -> (seen, world' {committed = committed world})
      Without x -> case run around x world {committed = False} of
        (Just _, world') ->
          (Nothing, logged around (take 16 (between here (at world'))) Unexpected world)
        (Nothing, world')
          | isJust (over world') -> (Nothing, world' {committed = committed world})
          | otherwise -> (Just [], world)
      Many x -> rounds x [] world
      AtMost n x
        | n < 0 -> wrong "isolateAtMost: negative number of bytes"
        | otherwise -> run around {limit = min (limit around) (here + n)} x world
      Isolated n x
        | n < 0 -> wrong "isolate: negative number of bytes"
        | otherwise -> case run around {limit = min (limit around) (here + n)} x world of
          (Just seen, world')
            | at world' - here == n -> (Just seen, world')
            | otherwise ->
              let rest = n - (at world' - here)
                  unread = "isolate: " ++ show rest ++ " of " ++ show n ++ " bytes were not read"
                  end = max (at world') (bytesEnd around)
                  have = min rest (min inputEnd end - at world')
                  why = if have == rest then Invalid unread else MissingInput rest have
               in if have < rest && end < inputEnd
                    then outOfBudget (bytesBudget around) (spent Nothing) world' {at = end}
                    else (Nothing, logged around [] why world')
          nothing -> nothing
      Matched x -> case run around x world of
        (seen, world') -> ((String' (between here (at world')) :) <$> seen, world')
      Named x -> run around {labels = "named" : labels around} x world
      Expected n x -> run around {names = (here, valueNames !! n) : names around} x world
      Deeper x
        | depth around <= 0 -> outOfBudget (budget around) (tooDeep (allowed around)) world
        | otherwise -> run around {depth = depth around - 1} x world
      Budgeted n x ->
        let own = around {depth = n, allowed = max 0 n, budget = budget around + 1}
         in within own x
      Limited n x ->
        let bytes = max 0 n
            new = budget around + 1
            own = around {depth = 100000, allowed = 100000, budget = new, bytesBudget = new}
         in within own {most = bytes, bytesEnd = here + bytes} x
      Nothing' -> (Just [], world)
      where
        here = at world
        inputEnd = min (limit around) total
        -- Where the value has no more bytes. What a budget inside allowed may have gone beyond
        -- that.
        valueEnd = max here (bytesEnd around)
        left = max 0 (min inputEnd valueEnd - here)
        -- What needs a byte needs more than nothing.
        spent n = tooManyBytes (most around) (if most around < 1 then Just (fromMaybe 1 n) else n)
        -- The input seems to end: a failure if it does not.
        ended whereItDoes
          | valueEnd < inputEnd = outOf here Nothing
          | otherwise = whereItDoes
        outOf offset n = outOfBudget (bytesBudget around) (spent n) world {at = offset}
        outOfBudget scope reason world' =
          (Nothing, logged around [] reason world' {failed = [], over = Just scope})
        -- With a budget of its own: around it, it has failed as for any other reason.
        within own x = case run own x world of
          (seen, world')
            | over world' == Just (budget own) -> (seen, world' {over = Nothing})
            | otherwise -> (seen, world')
        found n = take (min 16 n) (between here (here + left))
        wrong message = failAs [] (Invalid message)
        failAs bytes reason = (Nothing, logged around bytes reason world)
        expecting around' name bytes reason =
          (Nothing, logged around' {names = (here, name) : names around'} bytes reason world)

        need n
          | n <= left = (Just (between here (here + n)), world {at = here + n})
          | valueEnd < inputEnd = outOf here (if n > most around then Just n else Nothing)
          | otherwise = failAs (found left) (MissingInput n left)
        number n order = case need n of
          (bytes, world') ->
            ( (\bs -> [Number (foldl (\acc b -> acc * 256 + fromIntegral b) 0 (order bs))])
                <$> bytes,
              world'
            )
        string n = case need n of
          (bytes, world') -> ((\bs -> [String' bs]) <$> bytes, world')
        signed s = case s of
          Number x | x >= 2 ^ (31 :: Int) -> Number (x - 2 ^ (32 :: Int))
          _ -> s

        -- A failure does not escape, except after a commit or for lack of budget. Then the flag is
        -- True.
        choice x w = case run around x w {committed = False} of
          (Just seen, w') -> (Just seen, w' {committed = committed w || committed w'}, False)
          (Nothing, w')
            | committed w' -> (Nothing, w', True)
            | isJust (over w') -> (Nothing, w' {committed = committed w}, True)
            | otherwise -> (Nothing, w {failed = failed w'}, False)

        ahead goesBack x = case run around x world of
          (Just seen, world')
            | goesBack -> (Just seen, world {committed = committed world'})
          other -> other

        rounds x acc w = case choice x w of
          (Just seen, w', _)
            | at w' /= at w -> rounds x (seen : acc) w'
            | otherwise -> (Just [Group (reverse acc)], w')
          (Nothing, w', True) -> (Nothing, w')
          (Nothing, w', False) -> (Just [Group (reverse acc)], w')

    between from to = take (to - from) (drop from input)

    logged around bytes reason world =
      world {failed = Failed (at world) (labels around) name bytes reason : failed world}
      where
        -- The outermost name for this offset.
        name = case [n | (offset, n) <- reverse (names around), offset == at world] of
          n : _ -> Just n
          [] -> Nothing

-- The error is about the failures that got farthest. Of these, the last of the weightiest counts.
errorFrom :: [Failed] -> DecodeError
errorFrom everything = case filter (\f -> weight f == top) talkative of
  Failed offset labelled _ _ reason : _ ->
    failure
      (fromIntegral offset)
      labelled
      (together labelled reason)
      (List.nub (reverse (mapMaybe nameOf peers)))
      (S.pack (longest (map bytesOf peers)))
  [] -> error "nothing failed"
  where
    farthest = filter (\f -> offsetOf f == maximum (map offsetOf everything)) everything
    top = maximum (map weight farthest)
    -- If none of them carries information, the ones with the most labels.
    talkative
      | top == 0 = filter (\f -> labelsOf f == maximum (map labelsOf farthest)) farthest
      | otherwise = farthest
    labelsOf (Failed _ labelled _ _ _) = length labelled
    peers = if top == 5 then filter ((== top) . weight) farthest else farthest
    -- All that was said there with the same labels.
    together labelled reason = case reason of
      Invalid _ ->
        Invalid . List.intercalate "; " . List.nub $
          mapMaybe (messageOf labelled) (reverse farthest)
      _ -> reason
    messageOf labelled (Failed _ others _ _ reason) = case reason of
      Invalid m | others == labelled -> Just m
      _ -> Nothing
    longest = List.maximumBy (\a b -> compare (length a) (length b))
    offsetOf (Failed offset _ _ _ _) = offset
    nameOf (Failed _ _ name _ _) = name
    bytesOf (Failed _ _ _ bytes _) = bytes
    weight :: Failed -> Int
    weight (Failed _ _ name _ reason) = case reason of
      NoAlternative -> maybe 0 (const 1) name
      Unexpected -> 1
      TrailingInput -> 2
      MissingInput _ _ -> 3
      Invalid _ -> 4
      BadOffset _ _ -> 4
      InOwnBytes _ -> 4
      OverBudget _ -> 5
