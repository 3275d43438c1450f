-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Arrange
-- Description : Fields in today's order
module Ashlar.Schema.Internal.Evolution.Arrange
  ( arrange,
  )
where

import Ashlar.Schema.Internal.Evolution.Op
import Data.ByteString (ByteString)
import qualified Data.Map.Strict as M
import Data.Maybe (isNothing, mapMaybe)
import Data.Text (Text)

-- | The steps for all fields of a constructor.
--
-- If the remaining fields keep their order, each default is written where it belongs. Otherwise the
-- fields are written in their old order and moved afterwards. Fields that stay side by side are
-- moved together, with the defaults after them.
arrange ::
  -- | The old fields in old order: today's name, or none if it is left out, and its steps.
  [(Maybe Text, [Op])] ->
  -- | Today's fields in today's order: the name of one that was there, or the default.
  [Either Text ByteString] ->
  [Op]
arrange olds news
  | order == mapMaybe fst olds = merged news olds
  | otherwise = leading ++ [Permute groups numbers] ++ trailing
  where
    order = [name | Left name <- news]
    merged items fields = case (items, fields) of
      (Right bs : rest, _) -> Put bs : merged rest fields
      (_, (Nothing, ops) : rest) -> ops ++ merged items rest
      (Left _ : rest, (Just _, ops) : others) -> ops ++ merged rest others
      (Left _ : rest, []) -> merged rest []
      ([], _) -> concatMap snd fields
    leading = [Put bs | Right bs <- takeWhile isDefault news]
    trailing = concat (reverse [ops | (_, ops) <- takeWhile (isNothing . fst) (reverse olds)])
    isDefault item = case item of
      Right _ -> True
      Left _ -> False
    defaultsAfter = M.fromList (followed (dropWhile isDefault news))
    followed items = case items of
      Left name : rest ->
        let (defaults, more) = span isDefault rest
         in (name, [Put bs | Right bs <- defaults]) : followed more
      _ -> []
    -- Each remaining field, with those before it that are left out, in old order.
    single = withSkips [] olds
    -- (The steps of those that are left out are in reverse, as there may be many.)
    withSkips skipped fields = case fields of
      (Nothing, ops) : rest -> withSkips (ops : skipped) rest
      (Just name, ops) : rest ->
        let all' = concat (reverse (ops : skipped)) ++ M.findWithDefault [] name defaultsAfter
         in (name, all') : withSkips [] rest
      [] -> []
    next = M.fromList (zip order (drop 1 order))
    joined fields = case fields of
      [] -> []
      (name, ops) : rest -> extend name name ops rest
    extend start end ops fields = case fields of
      (name, more) : rest
        | M.lookup end next == Just name -> extend start name (ops ++ more) rest
      _ -> (start, ops) : joined fields
    runs = joined single
    groups = map snd runs
    numberOf = M.fromList (zip (map fst runs) [0 ..])
    numbers = mapMaybe (`M.lookup` numberOf) order
