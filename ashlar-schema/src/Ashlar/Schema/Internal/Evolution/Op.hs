{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Op
-- Description : Programs that turn the bytes of an old schema into those of a new one
--
-- Note [Old bytes to new bytes]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Old data could be decoded by a decoder that is made from both schemas. Four such designs were
-- measured: an array of slots for the fields, readers in today's order, offsets first, and terms.
-- All were slower than this one, which translates the bytes and then runs the decoder that the
-- compiler has made for today's type. It also needs no code for each type, and serves programs that
-- do not have the type.
--
-- A program reads old bytes from left to right, once, and writes new bytes. It knows no names.
-- It checks what today's decoder cannot: a tag that is valid today but was not when the value was
-- written, and bounds that were narrower. All else it copies, and today's decoder checks it.
module Ashlar.Schema.Internal.Evolution.Op
  ( Op (..),
    Alternative (..),
    Program (..),
    isIdentity,
    unreadable,
    tidy,
    tagBytes,
    countBytes,
    constantRead,
    leastReads,
    leastRead,
    callees,
    opsSize,
  )
where

import Ashlar.Codec (Get, encode)
import qualified Ashlar.Codec.Wrappers as Wrappers
import Ashlar.Schema.Internal.Evolution.Mismatch
import Ashlar.Schema.Internal.Types
import Data.Bits (shiftR)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.IntMap.Strict as IM
import qualified Data.List as List
import Data.Maybe (fromMaybe)

-- | One step. Numbers of bytes are not negative, and saturate: no input has as many.
data Op
  = -- | Copy bytes.
    Copy !Int
  | -- | Leave out bytes.
    Skip !Int
  | -- | Write bytes.
    Put !ByteString
  | -- | A number of constant size, least significant byte first, becomes another one.
    Widen !Number !Number
  | -- | A 'Float' becomes a 'Double', both least significant byte first.
    ToDouble
  | -- | A LEB128 number, copied or left out.
    Groups !Bool
  | -- | The header and the bytes of an 'Integer' (1) or a 'Natural' (0), copied or left out.
    Magnitude !Bool !Int
  | -- | A count, and that many elements of constant size: how the count was written, how to write
    -- it ('Nothing' leaves out all), the least count, and the bytes of an element.
    Block !Length !(Maybe Length) !Int !Int
  | -- | The same for elements that need a program.
    Each !Length !(Maybe Length) !Int ![Op]
  | -- | A tag: the name of the type, the bytes of the tag, whether today's decoder refuses all tags
    -- that this does, and what to do for each tag.
    Switch String !Int !Bool ![Alternative]
  | -- | The procedure with this number, one level deeper if that is 'True'. Those that leave out
    -- what they read have negative numbers.
    Call !Bool !Int
  | -- | Groups in old order, and the numbers of the groups in new order.
    Permute ![[Op]] ![Int]
  | -- | Write what a decoder makes of the bytes. Are these the same bytes? How many it reads at
    -- least.
    Through !Bool !Int !(Get ByteString)
  | -- | Run a program on what a decoder makes of packed bytes.
    Before !(Get ByteString) !Program
  | -- | Write what a decoder makes of the bytes that a program writes.
    After !Program !(Get ByteString)
  | -- | A part whose end is not known. A program may have one only if it changes nothing.
    Unreadable !Mismatch

-- | What to do for a tag.
data Alternative
  = -- | Fail: the constructor, and why.
    Refused String
  | Accepted ![Op]

-- | The main program, and procedures: Note [Old bytes to new bytes].
data Program = Program ![Op] !(IM.IntMap [Op])

-- | Does a program write what it reads, and is all that it refuses refused by today's decoder?
isIdentity :: Program -> Bool
isIdentity (Program main procedures) = all same main && all (all same) procedures
  where
    same op = case op of
      Copy _ -> True
      Skip n -> n == 0
      Put bs -> B.null bs
      Groups keep -> keep
      Magnitude keep _ -> keep
      Block from to least _ -> Just from == to && least == 0
      Each from to least ops -> Just from == to && least == 0 && all same ops
      Switch _ width exact alternatives ->
        exact && and (zipWith (sameTag width) [0 ..] alternatives)
      Call _ i -> i >= 0
      Through exact _ _ -> exact
      Unreadable _ -> True
      _ -> False
    sameTag width i alternative = case alternative of
      Refused _ -> True
      Accepted (Put bs : ops) -> bs == tagBytes width i && all same ops
      Accepted _ -> False

-- | The first part whose end is not known.
unreadable :: Program -> Maybe Mismatch
unreadable (Program main procedures) =
  case concatMap found (concat (main : IM.elems procedures)) of
    m : _ -> Just m
    [] -> Nothing
  where
    found op = case op of
      Unreadable m -> [m]
      Each _ _ _ ops -> concatMap found ops
      Switch _ _ _ alternatives -> concat [concatMap found ops | Accepted ops <- alternatives]
      Permute groups _ -> concatMap (concatMap found) groups
      _ -> []

-- | The bytes of a tag: how many, and the number.
tagBytes :: Int -> Int -> ByteString
tagBytes width i = B.pack (take width [fromIntegral i, fromIntegral (i `shiftR` 8)])

-- | The bytes of a count.
countBytes :: Length -> Int -> ByteString
countBytes len n = case len of
  Length64 -> encode n
  LengthVarint -> encode (Wrappers.Varint n)

-- | Join adjacent steps, and leave out steps that do nothing.
tidy :: [Op] -> [Op]
tidy = foldr joined [] . concatMap tidied
  where
    joined op rest = case (op, rest) of
      (Copy 0, _) -> rest
      (Skip 0, _) -> rest
      (Put bs, _) | B.null bs -> rest
      (Copy a, Copy b : more) -> Copy (plus a b) : more
      (Skip a, Skip b : more) -> Skip (plus a b) : more
      (Put a, Put b : more) -> Put (B.append a b) : more
      (Put a, Skip b : Put d : more) -> Skip b : Put (B.append a d) : more
      _ -> op : rest
    tidied op = case op of
      Each from to least ops -> case (tidy ops, to) of
        ([], Nothing) -> [Each from to least []]
        ([Copy n], Just _) -> [Block from to least n]
        ([Skip n], Nothing) -> [Block from to least n]
        (ops', _) -> [Each from to least ops']
      Switch name width exact alternatives
        | exact, and (zipWith (onlyTag width) [0 ..] alternatives') -> [Copy width]
        | otherwise -> [Switch name width exact alternatives']
        where
          alternatives' = map tidyAlternative alternatives
      Permute [group] _ -> tidy group
      Permute groups order -> [Permute (map tidy groups) order]
      _ -> [op]
    tidyAlternative alternative = case alternative of
      Accepted ops -> Accepted (tidy ops)
      _ -> alternative
    onlyTag width i alternative = case alternative of
      Accepted [Put bs] -> bs == tagBytes width i
      Accepted _ -> False
      Refused _ -> True

-- | The sum, cut off so that it does not overflow.
plus :: Int -> Int -> Int
plus a b = if a > most - b then most else a + b
  where
    most = maxBound `quot` 4 :: Int

-- | How many bytes a step reads, if that is constant.
constantRead :: Op -> Maybe Int
constantRead op = case op of
  Copy n -> Just n
  Skip n -> Just n
  Put _ -> Just 0
  Widen a _ -> Just (numberSize a)
  ToDouble -> Just 4
  _ -> Nothing

-- | The least number of bytes that some steps read, given those of the procedures. It is a lower
-- bound.
leastRead :: IM.IntMap Int -> [Op] -> Int
leastRead known = List.foldl' (\n op -> plus n (one op)) 0
  where
    one op = case op of
      Groups _ -> 1
      Magnitude _ _ -> 1
      Block from _ _ _ -> count from
      Each from _ _ _ -> count from
      Switch _ width _ _ -> width
      Call _ i -> IM.findWithDefault 0 i known
      Permute groups _ -> List.foldl' (\n ops -> plus n (leastRead known ops)) 0 groups
      Through _ n _ -> n
      -- (A packed value that has no bytes is charged by its own decoder.)
      Before _ _ -> 1
      After (Program main procedures) _ -> leastRead (leastReads procedures) main
      _ -> fromMaybe 0 (constantRead op)
    count from = case from of
      Length64 -> 8
      LengthVarint -> 1

-- | The least number of bytes that each procedure reads. (Four rounds. What a recursive procedure
-- reads before it calls itself is enough.)
leastReads :: IM.IntMap [Op] -> IM.IntMap Int
leastReads procedures = iterate (\known -> IM.map (leastRead known) procedures) none !! 4
  where
    none = IM.map (const 0) procedures

-- | The procedures that are called.
callees :: [Op] -> [Int]
callees = concatMap one
  where
    one op = case op of
      Call _ i -> [i]
      Each _ _ _ ops -> callees ops
      Switch _ _ _ alternatives -> concat [callees ops | Accepted ops <- alternatives]
      Permute groups _ -> concatMap callees groups
      _ -> []

-- | How large some steps are. The bytes that they write count, because they double where a
-- procedure becomes part of another one twice.
opsSize :: [Op] -> Int
opsSize = List.foldl' (\n op -> n + one op) 0
  where
    one op = case op of
      Each _ _ _ ops -> 1 + opsSize ops
      Switch _ _ _ alternatives -> 1 + sum [1 + opsSize ops | Accepted ops <- alternatives]
      Permute groups _ -> 1 + sum (map opsSize groups)
      After _ _ -> 8
      Before _ _ -> 8
      Put bs -> 1 + B.length bs `quot` 64
      _ -> 1
